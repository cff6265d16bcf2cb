"""`kb admin backup` and `restore`: the SQLite files, checked; the indexes are built again from them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import make_url

from app.commands import console
from app.commands.refusals import Refusal
from app.config import Settings
from pipelines.store.folder import make_private

KNOWLEDGE, IDENTITY = "kb.sqlite3", "identity.sqlite3"
INDEXES = ("chroma", "lexical")
BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps beside a database belongs to it."""
NEVER_USED = 1000
"""An index' name has its generation: one so much later was never used, on a Chroma server neither."""
OWNER_ONLY = 0o600


def backup(folder: Path, *, as_json: bool) -> None:
    """Beside a running server: SQLite copies what is committed. Accounts last: who came meanwhile is one too many."""
    files = _files(Settings())
    if any((folder / name).exists() for name in files):
        raise Refusal(f"{folder} has a backup already: name another folder.")
    if not files[KNOWLEDGE].exists():
        raise Refusal(f"There is no database at {files[KNOWLEDGE]} yet.")
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {name: _copy(path, folder / name) for name, path in files.items() if path.exists()}
    _say(f"Backed up to {folder}", sizes, as_json=as_json)


def restore(folder: Path, *, as_json: bool) -> None:
    """What is there now is put aside, not overwritten. No server may run."""
    settings = Settings()
    files = {name: path for name, path in _files(settings).items() if (folder / name).exists()}
    if KNOWLEDGE not in files:
        raise Refusal(f"{folder} has no backup: there is no {KNOWLEDGE}.")
    make_private(settings.data_dir)
    try:
        with FileLock(settings.data_dir / "index.lock", timeout=0):
            sizes = _put_back(settings, folder, files)
    except Timeout:
        raise Refusal(f"A server runs in {settings.data_dir}: stop it first.") from None
    _say("Restored; the indexes are built again when they are first used", sizes, as_json=as_json)


def _put_back(settings: Settings, folder: Path, files: dict[str, Path]) -> dict[str, int]:
    """All that may fail comes before anything that is there is touched."""
    ready = {name: path.with_name(f"{path.name}.restored") for name, path in files.items()}
    sizes = {name: _copy(folder / name, path) for name, path in ready.items()}
    _forget_indexes(ready[KNOWLEDGE])
    aside = settings.data_dir / f"before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    for name, path in files.items():
        _put_aside(path, aside)
        ready[name].rename(path)
    for index in INDEXES:
        shutil.rmtree(settings.data_dir / index, ignore_errors=True)
    if aside.exists():
        console.tell(f"What was there before is in {aside}.")
    return sizes


def _put_aside(path: Path, aside: Path) -> None:
    for beside in BESIDE:
        there = path.with_name(f"{path.name}{beside}")
        if there.exists():
            aside.mkdir(mode=0o700, exist_ok=True)
            there.rename(aside / there.name)


def _files(settings: Settings) -> dict[str, Path]:
    """Where the service's databases are, by their names in a backup."""
    url = settings.database_url or ""
    if url.startswith("postgres"):
        raise Refusal(
            "The database is PostgreSQL: back it up with pg_dump --format=custom and restore it with pg_restore;"
            " then kb admin reindex ORG builds an organization's indexes again."
        )
    database = make_url(url).database if url else None
    knowledge = Path(database) if database else settings.data_dir / KNOWLEDGE
    own = {} if settings.supabase_url else {IDENTITY: settings.data_dir / IDENTITY}
    return {KNOWLEDGE: knowledge, **own}


def _copy(source: Path, target: Path) -> int:
    """The size of the copy, which has its name only once it is whole."""
    unfinished = target.with_name(f"{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished.touch(mode=OWNER_ONLY)
    try:
        with closing(sqlite3.connect(source)) as reading, closing(sqlite3.connect(unfinished)) as writing:
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode=DELETE")
            [(found,)] = writing.execute("PRAGMA integrity_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        unfinished.unlink()
        raise Refusal(f"{source} cannot be copied: {found}.")
    unfinished.rename(target)
    return target.stat().st_size


def _forget_indexes(path: Path) -> None:
    """None that there is counts any more: it may know of changes that this database never made."""
    with closing(sqlite3.connect(path)) as database:
        if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'indexes'").fetchone():
            database.execute("UPDATE indexes SET generation = generation + ?", (NEVER_USED,))
            database.commit()


def _say(sentence: str, sizes: dict[str, int], *, as_json: bool) -> None:
    if as_json:
        console.say_json({"files": sizes})
    else:
        console.say(f"{sentence}: {', '.join(f'{name} ({size:,} bytes)' for name, size in sizes.items())}.")

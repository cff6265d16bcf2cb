"""Brings tables up to date; the service uses it for its own with another folder and version table.

Revisions are files `NNNN_name.py` whose revision id is `NNNN`, in one line: the newest file is the head, so a database
that is up to date is recognised without importing Alembic.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from pipelines.store.database import Database
from pipelines.store.tables import metadata

FOLDER = Path(__file__).parent / "migrations"
VERSION_TABLE = "alembic_version_pipelines"
LOCK = 7_011_300_1  # an arbitrary number of ours for PostgreSQL's advisory lock


async def migrate(
    database: Database, folder: Path = FOLDER, version_table: str = VERSION_TABLE, tables: MetaData = metadata
) -> None:
    """Upgrades to the newest revision; two processes starting at once take turns."""
    if await current_revision(database, version_table) == head(folder):
        return
    async with database.writing() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        await connection.run_sync(lambda sync: run(sync, folder, version_table, tables, "upgrade", "head"))


def head(folder: Path) -> str:
    return max(path.name[:4] for path in (folder / "versions").glob("[0-9]*.py"))


async def current_revision(database: Database, version_table: str) -> str | None:
    async with database.reading() as connection:
        try:
            revision = (await connection.execute(text(f"SELECT version_num FROM {version_table}"))).scalar()  # noqa: S608 - our own table's name
        except DBAPIError:  # no such table yet
            return None
    return str(revision)


def run(
    connection: Connection, folder: Path, version_table: str, tables: MetaData, command: str, *arguments: Any
) -> None:
    """One Alembic command (`upgrade`, `check`, `downgrade` …) over an open connection."""
    from alembic import command as commands  # a third of a second, needed once
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder))
    config.attributes.update(connection=connection, version_table=version_table, tables=tables)
    getattr(commands, command)(config, *arguments)

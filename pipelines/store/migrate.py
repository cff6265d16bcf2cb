"""Brings tables up to date; the service uses it for its own with another folder and version table.

Revisions are files `NNNN_name.py` whose revision id is `NNNN`, in one line: the newest file is the head, so a database
that is up to date is recognised without importing Alembic.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, column, inspect, select, table, text

from pipelines.store.database import Database
from pipelines.store.tables import metadata

FOLDER = Path(__file__).parent / "migrations"
VERSION_TABLE = "alembic_version_pipelines"
LOCK = 7_011_300_1  # an arbitrary number of ours for PostgreSQL's advisory lock


async def migrate(
    database: Database, folder: Path = FOLDER, version_table: str = VERSION_TABLE, tables: MetaData = metadata
) -> None:
    """Upgrades to the newest revision; two processes starting at once take turns."""
    if await database.read(current_revision, version_table) == head(folder):
        return
    await database.write(_upgrade, folder, version_table, tables)


def _upgrade(connection: Connection, folder: Path, version_table: str, tables: MetaData) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    run(connection, folder, version_table, tables, "upgrade", "head")


def head(folder: Path) -> str:
    return max(path.name[:4] for path in (folder / "versions").glob("[0-9]*.py"))


def current_revision(connection: Connection, version_table: str) -> str | None:
    if not inspect(connection).has_table(version_table):
        return None
    return str(connection.execute(select(column("version_num")).select_from(table(version_table))).scalar())


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

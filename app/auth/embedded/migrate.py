"""Brings the identity tables up to date, by Alembic."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from app.auth.embedded.database import Database
from app.auth.embedded.models import Base
from pipelines.store.migrate import current_revision, head, run

FOLDER = Path(__file__).parent / "migrations"
VERSION_TABLE = "alembic_version_identity"
LOCK = 7_011_300_3  # an arbitrary number of ours for PostgreSQL's advisory lock


async def migrate(database: Database) -> None:
    """Upgrades to the newest revision; two processes starting at once take turns."""
    async with database.engine.begin() as connection:
        if await connection.run_sync(current_revision, VERSION_TABLE) != head(FOLDER):
            await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    alembic(connection, "upgrade", "head")


def alembic(connection: Connection, command: str, *arguments: Any) -> None:
    """One Alembic command (`upgrade`, `check`, `downgrade` …) over an open connection."""
    run(connection, FOLDER, VERSION_TABLE, Base.metadata, command, *arguments)

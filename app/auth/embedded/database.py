"""Transactions on SQLite and PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from app.auth.embedded.errors import IdentityError
from app.auth.embedded.models import Base

READ_ONLY = "identity_read_only"


def open_engine(url: str) -> AsyncEngine:
    """An engine whose errors hide values; a SQLite file is readable by its owner only, for it holds private keys."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_async_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    if parsed.database and parsed.database != ":memory:":
        _private_file(Path(parsed.database))
    engine = create_async_engine(parsed, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _configure_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _private_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=15000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and then writes fails under SQLite when another wrote between: lock at once.
    read_only = connection.get_execution_options().get(READ_ONLY)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


class Database:
    """Short transactions over one engine."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._writing = async_sessionmaker(engine, expire_on_commit=False)
        self._reading = async_sessionmaker(engine.execution_options(**{READ_ONLY: True}), expire_on_commit=False)

    async def create_tables(self) -> None:
        async with self.engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Commit at the end; a refusal rolls back unless it says that what was written stands."""
        async with self._writing() as session:
            try:
                yield session
            except IdentityError as refusal:
                if refusal.keep:
                    await session.commit()
                raise
            await session.commit()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        async with self._reading() as session:
            yield session

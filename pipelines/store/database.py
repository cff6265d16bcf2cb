"""One database, SQLite (WAL) or PostgreSQL: short reads, and writes that take their lock at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}


class Database:
    """An engine with the two ways of using it; the service's own tables live in the same one.

    Raises ValueError for a URL that is neither SQLite's nor PostgreSQL's.
    """

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        scheme = parsed.drivername.partition("+")[0]
        if scheme not in DRIVERS:
            raise ValueError(f"the database is SQLite or PostgreSQL, not {scheme}")
        self.url = parsed.set(drivername=DRIVERS[scheme])
        self.is_sqlite = scheme == "sqlite"
        self.engine: AsyncEngine = _sqlite_engine(self.url) if self.is_sqlite else _postgres_engine(self.url)
        # SQLite has one writer: waiting for each other in the event loop is quicker than its busy handler's sleeps.
        self._writer = asyncio.Lock() if self.is_sqlite else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection for statements that change nothing."""
        async with self.engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        async with self._writer or nullcontext(), self.engine.connect() as plain:
            connection = await plain.execution_options(sqlite_immediate=True)
            async with connection.begin():
                yield connection

    async def close(self) -> None:
        await self.engine.dispose()


def _postgres_engine(url: Any) -> AsyncEngine:
    return create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True, pool_timeout=10)


def _sqlite_engine(url: Any) -> AsyncEngine:
    engine = create_async_engine(url, pool_size=5, max_overflow=5, connect_args={"timeout": 30})
    event.listen(engine.sync_engine, "connect", _on_sqlite_connect)
    event.listen(engine.sync_engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(connection: Any, _: Any) -> None:
    # The driver would begin transactions by its own rules; SQLAlchemy's begin event does it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "cache_size=-65536", "mmap_size=268435456"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_sqlite_begin(connection: Any) -> None:
    # A reader that turns writer fails at once when another wrote meanwhile, so writers take the lock first.
    immediate = connection.get_execution_options().get("sqlite_immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

"""One database, SQLite (WAL) or PostgreSQL: short reads, and writes that take their lock at once."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from pipelines.store.watchdog import Watchdog

P = ParamSpec("P")
T = TypeVar("T")
Statements = Callable[Concatenate[Connection, P], T]
"""A function over an open connection: the same one runs on both databases."""

Run = Callable[[Callable[[Connection], Any]], Any]
"""Runs statements that take a connection alone, and waits for them."""

PRAGMAS = ("synchronous=NORMAL", "foreign_keys=ON", "cache_size=-65536", "mmap_size=268435456")
WAL_ATTEMPTS, WAL_PAUSE = 200, 0.01
"""Two seconds in all."""
PATIENCE = 10.0
"""Seconds that closing waits for statements whose callers have left, and then for the server."""
SINGLE = {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}
"""Without a transaction to begin and end, a statement is one round trip instead of three."""

POOL: dict[str, Any] = {"pool_pre_ping": True, "pool_timeout": 10}

PRIVATE: dict[str, Any] = {"hide_parameters": True}
"""Errors name the statement without its values: these are people's texts and addresses, and errors are logged."""


class Database:
    """Runs statements off the event loop: on SQLite in one thread hop, on PostgreSQL over asyncpg.

    (SQLite over aiosqlite takes a hop for each of cursor, execute and fetch: 1 ms a statement instead of .2.)
    Raises ValueError for a URL that is neither SQLite's nor PostgreSQL's.
    """

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        scheme = parsed.drivername.partition("+")[0]
        if scheme not in BACKENDS:
            raise ValueError(f"the database is SQLite or PostgreSQL, not {scheme}")
        self._backend: _Sqlite | _Postgres = BACKENDS[scheme](parsed)
        self._begun: set[asyncio.Task[Any]] = set()

    @property
    def is_sqlite(self) -> bool:
        return isinstance(self._backend, _Sqlite)

    async def read(self, statements: Statements[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For statements that change nothing; each sees what is committed when it runs."""
        return await self._whole(self._backend.read(lambda connection: statements(connection, *args, **kwargs)))

    def blocking(self) -> BlockingRead:
        """`read` for threads beside the event loop that this is called in: they wait for what it returns."""
        return BlockingRead(self._backend.blocking())

    async def write(self, statements: Statements[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One transaction: committed when the function returns, rolled back when it raises."""
        return await self._whole(self._backend.write(lambda connection: statements(connection, *args, **kwargs)))

    async def apply(self, statements: Statements[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For one statement that changes something: committed by itself, without a transaction's round trips."""
        return await self._whole(self._backend.apply(lambda connection: statements(connection, *args, **kwargs)))

    async def _whole(self, work: Coroutine[Any, Any, T]) -> T:
        """A caller that leaves cuts nothing off half way, and `close` waits for it."""
        begun = asyncio.create_task(work)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return await asyncio.shield(begun)

    @property
    def engine(self) -> AsyncEngine:
        """For tables of one's own beside the library's."""
        return self._backend.engine

    async def close(self) -> None:
        if self._begun:
            await asyncio.wait(self._begun, timeout=PATIENCE)
        await self._backend.close()


class BlockingRead:
    """`Database.read` for a thread that may wait."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __call__(self, statements: Statements[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = self._run(lambda connection: statements(connection, *args, **kwargs))
        return result


class _Sqlite:
    def __init__(self, url: URL) -> None:
        self._url = url
        self._single = self._engine(url, **SINGLE)
        self._writer = self._engine(url, pool_size=1, max_overflow=0)
        event.listen(self._writer, "begin", _on_begin)
        # SQLite has one writer: waiting for each other in the event loop is quicker than its busy handler's sleeps.
        self._turn = asyncio.Lock()

    @staticmethod
    def _engine(url: URL, **options: Any) -> Engine:
        engine = create_engine(
            url.set(drivername="sqlite"),
            connect_args={"timeout": 30, "check_same_thread": False},
            **PRIVATE,
            **options,
        )
        event.listen(engine, "connect", _on_connect)
        return engine

    @cached_property
    def engine(self) -> AsyncEngine:
        engine = create_async_engine(
            self._url.set(drivername="sqlite+aiosqlite"), connect_args={"timeout": 30}, **PRIVATE
        )
        event.listen(engine.sync_engine, "connect", _on_connect)
        event.listen(engine.sync_engine, "begin", _on_begin)
        return engine

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._read, work)

    def blocking(self) -> Run:
        return self._read

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self._single.connect() as connection:
            return work(connection)

    async def apply(self, work: Callable[[Connection], T]) -> T:
        async with self._turn:
            return await self.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        async with self._turn:
            return await asyncio.to_thread(self._write, work)

    def _write(self, work: Callable[[Connection], T]) -> T:
        with self._writer.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        if "engine" in self.__dict__:
            await self.engine.dispose()
        self._single.dispose()
        self._writer.dispose()


class _Postgres:
    def __init__(self, url: URL) -> None:
        url = url.set(drivername="postgresql+asyncpg")
        self.engine = self._engine(url, **POOL)
        self._single = self._engine(url, **POOL, **SINGLE)
        self._watched = Watchdog(self._engine(url, poolclass=NullPool))

    @staticmethod
    def _engine(url: URL, **options: Any) -> AsyncEngine:
        # JSONB writes 1e22 as a whole number: what 64 bits do not hold is a float again, as it came in.
        engine = create_async_engine(url, json_deserializer=orjson.loads, **PRIVATE, **options)
        event.listen(engine.sync_engine, "do_connect", connect_or_say_so)
        return engine

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._watched(self._read(work))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        async with self._single.connect() as connection:
            return await connection.run_sync(work)

    async def apply(self, work: Callable[[Connection], T]) -> T:
        return await self.read(work)

    def blocking(self) -> Run:
        loop = asyncio.get_running_loop()
        return lambda work: asyncio.run_coroutine_threadsafe(self.read(work), loop).result()

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._watched(self._write(work))

    async def _write(self, work: Callable[[Connection], T]) -> T:
        async with self.engine.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        await dispose_within(PATIENCE, self._single, self.engine)


BACKENDS: dict[str, type[_Sqlite] | type[_Postgres]] = {
    "sqlite": _Sqlite,
    "postgresql": _Postgres,
    "postgres": _Postgres,
}


async def dispose_within(seconds: float, *engines: AsyncEngine) -> None:
    """The driver would wait for a silent server to take its leave."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for engine in engines:
                await engine.dispose()


def connect_or_say_so(dialect: Any, _: Any, arguments: Any, options: Any) -> Any:
    """Raises OperationalError for a server that is away: asyncpg's own errors, and the network's, come as they are."""
    import asyncpg

    try:
        return dialect.connect(*arguments, **options)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise OperationalError(None, None, error, hide_parameters=True) from error


def _on_connect(connection: Any, _: Any) -> None:
    # The driver would begin transactions by its own rules; SQLAlchemy's begin event does it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    _turn_to_wal(cursor)
    for pragma in PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _turn_to_wal(cursor: Any) -> None:
    """Lasts as long as the database: only the first time it takes a lock. For that SQLite's timeout does not count."""
    for left in reversed(range(WAL_ATTEMPTS)):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not left:  # its kinds are in the higher bits
                raise
            time.sleep(WAL_PAUSE)
        else:
            return


def _on_begin(connection: Connection) -> None:
    # A reader that turns writer fails at once when another wrote meanwhile, so writers take the lock first.
    connection.exec_driver_sql("BEGIN IMMEDIATE")

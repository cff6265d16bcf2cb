"""A PostgreSQL server that says nothing any more, and one that only takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from pipelines.store import database as store
from pipelines.store import watchdog
from pipelines.store.database import Database
from tests.databases import postgres_database
from tests.relay import Relay, relayed

MORE_THAN_THE_POOL = 20


@pytest.fixture
def server_url() -> Iterator[str]:
    with postgres_database() as url:
        yield url


@pytest.fixture
async def relay(server_url: str) -> AsyncIterator[tuple[Relay, str]]:
    """And the URL of the database behind it."""
    async with relayed(server_url) as both:
        yield both


@pytest.fixture
def server(relay: tuple[Relay, str]) -> Relay:
    return relay[0]


@pytest.fixture
async def database(relay: tuple[Relay, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    monkeypatch.setattr(watchdog, "SILENCE", 0.1)
    monkeypatch.setattr(watchdog, "PATIENCE", 0.5)
    made = Database(relay[1])
    yield made
    relay[0].speaks.set()
    await made.close()


def sleep(connection: Connection, seconds: float = 0) -> str:
    connection.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": seconds})
    return "slept"


@pytest.mark.parametrize("way", ["read", "apply", "write"])
@pytest.mark.parametrize("connected", [True, False])
async def test_a_server_that_falls_silent(server: Relay, database: Database, way: str, connected: bool) -> None:
    """Whatever begins then is refused as if it were away; when it speaks again, everything is as before."""
    work = getattr(database, way)
    if connected:
        await work(sleep)
    server.speaks.clear()
    begun = [asyncio.create_task(work(sleep)) for _ in range(MORE_THAN_THE_POOL)]
    async with asyncio.timeout(20):
        refused = await asyncio.gather(*begun, return_exceptions=True)
    assert {type(one) for one in refused} == {OperationalError}
    server.speaks.set()
    assert await asyncio.gather(*(work(sleep) for _ in range(MORE_THAN_THE_POOL))) == ["slept"] * MORE_THAN_THE_POOL


async def test_a_statement_that_a_silent_server_was_at(server: Relay, database: Database) -> None:
    """It is given up too, for threads that wait as well."""
    both = [
        asyncio.create_task(database.write(sleep, 60)),
        asyncio.create_task(asyncio.to_thread(database.blocking(), sleep, 60)),
    ]
    await asyncio.sleep(0.2)
    server.speaks.clear()
    async with asyncio.timeout(20):
        refused = await asyncio.gather(*both, return_exceptions=True)
    assert {type(one) for one in refused} == {OperationalError}


async def test_a_proxy_that_hangs_up(server: Relay, database: Database) -> None:
    """That a new connection is made and closed is no answer of the server's."""
    working = asyncio.create_task(database.write(sleep, 60))
    await asyncio.sleep(0.2)
    server.speaks.clear()
    server.hangs_up = True
    async with asyncio.timeout(20):
        with pytest.raises(OperationalError):
            await working


@pytest.mark.parametrize("way", ["cancelled", "failed"])
async def test_what_nobody_waits_for_ends(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement ends with its caller, and when the server cannot be asked."""
    monkeypatch.setattr(watchdog, "SILENCE", 0.1)
    watch, ended = watchdog.Watchdog(create_async_engine("postgresql+asyncpg://", async_creator=fail)), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    watching = asyncio.create_task(watch(work()))
    if way == "cancelled":
        await asyncio.sleep(0.05)
        watching.cancel()
    await asyncio.wait({watching})
    assert ended.is_set()


async def fail() -> None:
    raise RuntimeError


async def test_closing_beside_a_silent_server(
    server: Relay, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for no farewell, whichever engine was used."""
    monkeypatch.setattr(store, "PATIENCE", 0.5)
    await asyncio.gather(database.read(sleep, 0.1), database.read(sleep, 0.1), database.write(sleep))
    async with database.engine.connect() as connection:
        await connection.run_sync(sleep)
    server.speaks.clear()
    async with asyncio.timeout(20):
        await database.close()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch, database: Database) -> None:
    """Where the server does answer, as much as a busy machine may need for a connection."""
    monkeypatch.setattr(watchdog, "PATIENCE", 20)


@pytest.mark.usefixtures("patience")
async def test_a_statement_takes_its_time(database: Database) -> None:
    """However long that is, while the server answers others."""
    assert await database.write(sleep, 1) == "slept"


@pytest.mark.usefixtures("patience")
async def test_a_server_that_takes_nobody_else_is_not_silent(database: Database, server_url: str) -> None:
    """That it refuses a new connection is an answer: what it is at goes on."""
    working = asyncio.create_task(database.write(sleep, 1))
    await asyncio.sleep(0.05)
    other = Database(server_url.rpartition("/")[0] + "/postgres")
    name = server_url.rpartition("/")[2]
    await other.apply(lambda connection: connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
    await other.close()
    assert await working == "slept"

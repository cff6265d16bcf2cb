"""Statements over both databases."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text

from pipelines.store.database import Database

WRITERS = 20


@pytest.fixture
async def database(empty_database_url: str) -> AsyncIterator[Database]:
    made = Database(empty_database_url)
    await made.write(lambda connection: connection.exec_driver_sql("CREATE TABLE counts (number INTEGER)"))
    await made.write(lambda connection: connection.exec_driver_sql("INSERT INTO counts VALUES (0)"))
    yield made
    await made.close()


def count_on(connection: Connection) -> int:
    statement = text("UPDATE counts SET number = number + 1 RETURNING number")
    return int(connection.execute(statement).scalar_one())


def counted(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT number FROM counts").scalar_one())


async def test_a_statement_commits_itself(database: Database) -> None:
    """What `apply` has done is there for every reader when it returns."""
    assert [await database.apply(count_on) for _ in range(3)] == [1, 2, 3]
    assert await database.read(counted) == 3


async def test_single_statements_and_transactions_take_turns(database: Database) -> None:
    """None of those at the same row is lost, and none is refused because another one holds the lock."""
    each = [database.apply(count_on) for _ in range(WRITERS)] + [database.write(count_on) for _ in range(WRITERS)]
    assert sorted(await asyncio.gather(*each)) == list(range(1, 2 * WRITERS + 1))


@pytest.mark.parametrize("way", ["apply", "write"])
async def test_a_caller_that_leaves_cuts_nothing_off(database: Database, way: str) -> None:
    """What was begun for somebody who is gone is done whole."""
    leaving = asyncio.create_task(getattr(database, way)(count_on))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)
    assert leaving.cancelled()
    assert await database.read(counted) == 1


def slowly_counted_on(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_sleep(0.2)")
    else:
        time.sleep(0.2)
    return count_on(connection)


@pytest.mark.parametrize("way", ["read", "apply", "write"])
async def test_closing_waits_for_what_was_begun(database: Database, empty_database_url: str, way: str) -> None:
    """Though its caller has left: a connection in the middle of a statement would be left to the garbage collector."""
    leaving = asyncio.create_task(getattr(database, way)(slowly_counted_on))
    await asyncio.sleep(0.05)
    leaving.cancel()
    await database.close()
    other = Database(empty_database_url)
    assert await other.read(counted) == 1
    await other.close()

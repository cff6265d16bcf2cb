"""A document's date, as the decisions say; creates beside removals."""

import asyncio
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import Connection, select, text

from pipelines.store import tables
from pipelines.store.database import Database
from pipelines.store.documents import accept, effective_day, remove_by_key
from tests.pipelines.conftest import ORGANIZATION, document

CAME_IN = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("updated_at", "day"),
    [
        ("2026-03-14", date(2026, 3, 14)),
        ("2026-03-14T09:30:00Z", date(2026, 3, 14)),
        ("2026-03-14T23:30:00-05:00", date(2026, 3, 15)),
        ("2026-03-14T00:30:00+02:00", date(2026, 3, 13)),
        ("2026-03-14T23:30:00", date(2026, 3, 14)),
        ("0001-01-01T00:00:00+05:00", date(1, 1, 1)),
        ("20260314T0930", date(2026, 3, 14)),
        ("2026-W11-6", date(2026, 3, 14)),
        ("2026-03", CAME_IN.date()),
        ("2026-073", CAME_IN.date()),
        ("yesterday", CAME_IN.date()),
        ("2026-02-30", CAME_IN.date()),
        (20260314, CAME_IN.date()),
        (None, CAME_IN.date()),
    ],
)
def test_updated_at_counts_as_its_utc_day(updated_at: object, day: date) -> None:
    """ISO 8601 with an offset is its day in UTC; what is no date counts as the day the document came in."""
    assert effective_day({"updated_at": updated_at}, CAME_IN) == day


def test_without_updated_at_it_is_the_day_it_came_in() -> None:
    """The fallback is the moment of the write."""
    assert effective_day({}, CAME_IN) == CAME_IN.date()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_create_beside_a_removal_of_its_key(database_url: str) -> None:
    """It waits for the removal and creates a document of its own; SQLite has one writer anyway."""
    database = Database(database_url)
    first = await database.write(accept, ORGANIZATION, document(), upsert=False, lease=None)
    async with database.engine.begin() as removing:
        await removing.execute(select(tables.documents).with_for_update())
        creating = asyncio.create_task(database.write(accept, ORGANIZATION, document(), upsert=False, lease=None))
        while not await database.read(is_waiting):  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.01)
        await removing.run_sync(remove_by_key, ORGANIZATION, "wiki", "1")
    second = await creating
    assert (second.created, second.revision) == (True, 1)
    assert second.id != first.id
    await database.close()


def is_waiting(connection: Connection) -> bool:
    """Whether a statement in this database waits for a lock."""
    statement = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    return connection.execute(text(statement)).first() is not None

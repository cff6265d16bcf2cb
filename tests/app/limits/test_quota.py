"""The month's count on both databases."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.limits.quota import Quota, month_of, next_month
from app.organizations.service import create_organization
from pipelines.store.database import Database
from tests.app.limits.conftest import FakeClock


@pytest.fixture
async def asking(database: Database) -> UUID:
    return (await create_organization(database, "Askers")).id


@pytest.fixture
def quota(database: Database, clock: FakeClock) -> Quota:
    return Quota(database, clock)


async def test_50_parallel_questions_at_95_of_100_admit_exactly_5(quota: Quota, asking: UUID) -> None:
    for _ in range(95):
        await quota.reserve(asking, 100)
    readings = await asyncio.gather(*(quota.reserve(asking, 100) for _ in range(50)))
    admitted = [reading for reading in readings if reading.admitted]
    assert sorted(reading.used for reading in admitted) == [96, 97, 98, 99, 100]
    assert (await quota.look(asking, 100)).remaining == 0


async def test_what_is_given_back_can_be_asked_again(quota: Quota, asking: UUID) -> None:
    taken = await quota.reserve(asking, 1)
    assert not (await quota.reserve(asking, 1)).admitted
    assert (await quota.give_back(asking, taken)).remaining == 1
    assert (await quota.reserve(asking, 1)).admitted


async def test_it_is_given_back_to_the_month_that_paid(quota: Quota, asking: UUID, clock: FakeClock) -> None:
    taken = await quota.reserve(asking, 5)
    clock.now = next_month(clock.now // 1_000_000) * 1_000_000
    await quota.reserve(asking, 5)
    await quota.give_back(asking, taken)
    assert (await quota.look(asking, 5)).used == 1


async def test_a_new_month_begins_at_midnight_utc(quota: Quota, asking: UUID, clock: FakeClock) -> None:
    end = int(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
    clock.now = end * 1_000_000
    assert (await quota.reserve(asking, 1)).month == "2026-12"
    refused = await quota.reserve(asking, 1)
    assert (refused.admitted, refused.retry_after, refused.reset) == (False, 1, end + 1)
    clock.advance(1)
    assert (await quota.reserve(asking, 1)).month == "2027-01"


async def test_without_a_limit_it_counts_all_the_same(quota: Quota, asking: UUID) -> None:
    await quota.reserve(asking, None)
    reading = await quota.reserve(asking, None)
    assert (reading.used, reading.remaining, reading.limit) == (2, None, None)


async def test_a_smaller_plan_counts_what_was_asked_on_a_larger_one(quota: Quota, asking: UUID) -> None:
    for _ in range(3):
        await quota.reserve(asking, None)
    assert not (await quota.reserve(asking, 2)).admitted
    assert (await quota.look(asking, 2)).remaining == 0


async def test_nothing_is_given_back_below_zero(quota: Quota, asking: UUID) -> None:
    taken = await quota.reserve(asking, 5)
    assert (await quota.give_back(asking, taken)).used == 0
    assert (await quota.give_back(asking, taken)).used == 0


@pytest.mark.parametrize(
    ("day", "following"), [((2026, 1, 31), (2026, 2, 1)), ((2028, 2, 29), (2028, 3, 1)), ((2026, 12, 1), (2027, 1, 1))]
)
def test_months(day: tuple[int, int, int], following: tuple[int, int, int]) -> None:
    now = int(datetime(*day, 12, tzinfo=UTC).timestamp())
    assert next_month(now) == int(datetime(*following, tzinfo=UTC).timestamp())
    assert month_of(next_month(now) - 1) == f"{day[0]}-{day[1]:02}"

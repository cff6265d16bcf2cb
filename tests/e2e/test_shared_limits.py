"""Two server processes on one Redis and one PostgreSQL: an organization's limits are of both together."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlalchemy import Connection, insert

from app.api_keys.service import create_key
from app.models import usage
from app.organizations.service import create_organization
from pipelines.store.database import Database
from tests.databases import postgres_database
from tests.e2e.running import serving
from tests.services import needed


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    with postgres_database() as url:
        yield url


@pytest.fixture(scope="module")
def addresses(new_home: Callable[[], Path], database_url: str, chroma_url: str) -> Iterator[list[str]]:
    """Of two servers, each with a data folder of its own."""
    settings = {
        "KB_DATABASE_URL": database_url,
        "KB_REDIS_URL": needed("KB_TEST_REDIS_URL"),
        "KB_CHROMA_URL": chroma_url,
        "KB_LIMITS": "on",
    }
    with ExitStack() as stack, ThreadPoolExecutor() as threads:
        servers = [serving(new_home(), **settings) for _ in range(2)]
        yield [address for address, _ in threads.map(stack.enter_context, servers)]


async def newcomer(database_url: str, plan: str, *, asked: int = 0) -> tuple[UUID, dict[str, str]]:
    """An organization that has asked so much this month, and the header of its key."""
    database, month = Database(database_url), f"{datetime.now(UTC):%Y-%m}"
    organization = await create_organization(database, "Askers", plan)

    def count(connection: Connection) -> None:
        connection.execute(insert(usage).values(organization_id=organization.id, month=month, used=asked))

    await database.write(count)
    _, secret = await create_key(database, organization.id, "tests")
    await database.close()
    return organization.id, {"X-API-Key": secret}


def asked(addresses: list[str], headers: Mapping[str, str], times: int) -> Counter[tuple[int, str | None]]:
    """Statuses and codes of so many questions to each server, all at once."""

    def ask(address: str) -> tuple[int, str | None]:
        answer = httpx.post(f"{address}/api/ai/query", json={"question": "Who?"}, headers=dict(headers), timeout=60)
        return answer.status_code, answer.json().get("code")

    with ThreadPoolExecutor(2 * times) as threads:
        return Counter(threads.map(ask, addresses * times))


def left(addresses: list[str], headers: Mapping[str, str], organization_id: UUID) -> list[tuple[int, int]]:
    """What is left of the minute and of the month, as each server tells it."""
    path = f"/api/organizations/{organization_id}/usage"
    told = [httpx.get(address + path, headers=dict(headers)).raise_for_status().json() for address in addresses]
    return [(one["queries_minute"]["remaining"], one["queries_month"]["remaining"]) for one in told]


def test_two_servers_share_the_minute(addresses: list[str], database_url: str) -> None:
    """Of eight questions to each of two servers at once the free plan's five a minute are admitted."""
    organization_id, headers = asyncio.run(newcomer(database_url, "free"))
    assert asked(addresses, headers, 8) == {(200, None): 5, (429, "RATE_LIMITED"): 11}
    assert left(addresses, headers, organization_id) == [(0, 95)] * 2


def test_two_servers_share_the_month(addresses: list[str], database_url: str) -> None:
    """With seven questions of the month left, sixteen to two servers at once admit seven; the others cost nothing."""
    organization_id, headers = asyncio.run(newcomer(database_url, "pro", asked=993))
    assert asked(addresses, headers, 8) == {(200, None): 7, (429, "QUOTA_EXCEEDED"): 9}
    assert left(addresses, headers, organization_id) == [(13, 0)] * 2


def test_two_servers_share_the_burst(addresses: list[str], database_url: str) -> None:
    """Requests to both empty one bucket: the burst is admitted, and what flows in meanwhile."""
    _, headers = asyncio.run(newcomer(database_url, "free"))
    started = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda address: httpx.get(f"{address}/api/documents", headers=headers), addresses * 20)
        admitted = sum(answer.is_success for answer in answers)
    assert 20 <= admitted <= 20 + (time.monotonic() - started) / 6

"""Storages, databases and times that limits are tested on."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from slowapi import Limiter

from app.limits.storage import close, make_limiter
from pipelines.store.database import Database
from tests.databases import BOTH, Templates
from tests.services import needed

START = 1_790_000_000_000_000


class FakeClock:
    """Stands still until it is told to go on."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += int(seconds * 1_000_000)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def redis_url() -> str:
    return needed("KB_TEST_REDIS_URL")


@pytest.fixture(params=["memory", "redis"])
async def limiter(request: pytest.FixtureRequest) -> AsyncIterator[Limiter]:
    made = make_limiter(needed("KB_TEST_REDIS_URL") if request.param == "redis" else None)
    yield made
    await close(made)


@pytest.fixture(params=BOTH)
def any_url(request: pytest.FixtureRequest, tmp_path: Path, templates: Templates) -> Iterator[str]:
    with templates.copied(request.param, tmp_path / "kb.sqlite3") as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path, templates: Templates) -> Iterator[str]:
    with templates.copied("sqlite", tmp_path / "kb.sqlite3") as url:
        yield url


@pytest.fixture
async def database(any_url: str) -> AsyncIterator[Database]:
    made = Database(any_url)
    yield made
    await made.close()


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    made = Database(sqlite_url)
    yield made
    await made.close()

"""Storages, databases and times that limits are tested on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from slowapi import Limiter

from app.limits.storage import close, make_limiter
from app.migrations import migrate
from pipelines.store.database import Database
from tests.services import needed, new_postgres_database

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


async def _sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'kb.db'}"


async def _postgres(_: Path) -> str:
    return await new_postgres_database()


DATABASES: dict[str, Callable[[Path], Awaitable[str]]] = {"sqlite": _sqlite, "postgres": _postgres}


async def opened(url: str) -> Database:
    database = Database(url)
    await migrate(database)
    return database


@pytest.fixture(params=list(DATABASES))
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    made = await opened(await DATABASES[request.param](tmp_path))
    yield made
    await made.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    made = await opened(await _sqlite(tmp_path))
    yield made
    await made.close()

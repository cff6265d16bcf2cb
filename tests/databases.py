"""Fresh databases of either kind, gone after the test: copies of one that has all tables, as migrations take longer."""

import asyncio
import shutil
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

import asyncpg

from pipelines.store.database import Database
from tests.services import needed

BOTH = ("sqlite", "postgresql")

Migrate = Callable[[Database], Awaitable[None]]


@contextmanager
def postgres_database(template: str = "template1") -> Iterator[str]:
    """The URL of a database that is a copy of `template`, by default empty; each takes 8 MB of a disk."""
    url = needed("KB_TEST_POSTGRES_URL")
    name = f"test_{uuid.uuid4().hex}"
    asyncio.run(_execute(url, f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield f"{url.rpartition('/')[0]}/{name}"
    asyncio.run(_execute(url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


class Templates:
    """Databases that migrations were run on, made when they are first copied. `folder` has SQLite's."""

    def __init__(self, folder: Path, migrations: Sequence[Migrate]) -> None:
        self._folder = folder
        self._migrations = migrations
        self._kept = ExitStack()

    @contextmanager
    def copied(self, kind: str, path: Path) -> Iterator[str]:
        """The URL of a copy; SQLite's is the file `path`."""
        if kind == "sqlite":
            shutil.copy(self._sqlite, path)
            yield f"sqlite:///{path}"
        else:
            with postgres_database(self._postgres.rpartition("/")[2]) as url:
                yield url

    def close(self) -> None:
        self._kept.close()

    @cached_property
    def _sqlite(self) -> Path:
        path = self._folder / "template.sqlite3"
        asyncio.run(self._migrate(f"sqlite:///{path}"))
        return path

    @cached_property
    def _postgres(self) -> str:
        url = self._kept.enter_context(postgres_database())
        asyncio.run(self._migrate(url))
        return url

    async def _migrate(self, url: str) -> None:
        database = Database(url)
        for migrate in self._migrations:
            await migrate(database)
        await database.close()

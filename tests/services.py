"""The services that tests need beside the process, by environment variables; in CI a missing one is a failure."""

import os
import uuid

import asyncpg
import pytest


def needed(variable: str) -> str:
    """The address of a service; skips without one, and fails where CI promises it."""
    if value := os.environ.get(variable):
        return value
    if os.environ.get("CI") == "true":
        pytest.fail(f"{variable} is not set, and CI=true: .ci/run starts what tests need")
    pytest.skip(f"{variable} is not set")


async def new_postgres_database(template: str = "template1") -> str:
    """The URL of a fresh database, empty or a copy of `template`."""
    url = needed("KB_TEST_POSTGRES_URL")
    name = f"test_{uuid.uuid4().hex}"
    await _execute(url, f"CREATE DATABASE {name} TEMPLATE {template}")
    return f"{url.rpartition('/')[0]}/{name}"


async def drop_postgres_database(url: str) -> None:
    """Each takes 8 MB: a thousand tests would fill a disk."""
    await _execute(needed("KB_TEST_POSTGRES_URL"), f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()

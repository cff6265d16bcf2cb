"""The embedded identity server beside a PostgreSQL server that says nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.auth import hosting
from app.config import Settings
from pipelines.store import database as store
from tests.databases import postgres_database
from tests.relay import relayed


@pytest.fixture
def server_url() -> Iterator[str]:
    with postgres_database() as url:
        yield url


async def test_closing_beside_a_silent_server(server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for no farewell."""
    for module in (hosting, store):
        monkeypatch.setattr(module, "PATIENCE", 0.5)
    async with (
        relayed(server_url) as (server, url),
        asyncio.timeout(20),
        hosting.opened_embedded(Settings(database_url=url, data_dir=tmp_path, _env_file=None)),
    ):
        server.speaks.clear()

"""The scripted language model server, for every test that asks for it."""

from collections.abc import AsyncIterator

import pytest

from tests.llm.scripted_server import ScriptedServer, scripted_server


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with scripted_server() as running:
        yield running

"""A database, a house over it, and journeys to a provider on loopback."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.auth.embedded import open_engine

from .house import POSTGRES, Builder, House
from .journey import Journey, providers
from .openid_provider import OpenIdProvider, running


@pytest.fixture(params=["sqlite", "postgresql"] if POSTGRES else ["sqlite"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    if request.param == "sqlite":
        engine = open_engine(f"sqlite+aiosqlite:///{tmp_path / 'identity.db'}")
        yield engine
        await engine.dispose()
        return
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_async_engine(str(POSTGRES), connect_args={"server_settings": {"search_path": schema}})
    async with engine.begin() as connection:
        await connection.execute(text(f"CREATE SCHEMA {schema}"))
    yield engine
    async with engine.begin() as connection:
        await connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    await engine.dispose()


@pytest.fixture
async def build(engine: AsyncEngine) -> AsyncIterator[Builder]:
    builder = Builder(engine)
    yield builder
    await builder.close()


@pytest.fixture
async def house(build: Builder) -> House:
    return await build()


@pytest.fixture
async def openid() -> AsyncIterator[OpenIdProvider]:
    async with running(OpenIdProvider()) as provider:
        yield provider


@pytest.fixture
async def journey(build: Builder, openid: OpenIdProvider) -> Journey:
    return Journey(await build(**providers(openid.issuer)), openid)

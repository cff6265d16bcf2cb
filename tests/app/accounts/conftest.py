"""The account tests run twice: over the embedded identity server, and over the same one as a process of its own.

The second way is how Supabase is reached: by address and keys alone.
"""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager

from app.config import Settings
from app.main import create_app
from pipelines.knowledge import KnowledgeBase
from tests.app.accounts.house import SITE, House, Mailbox
from tests.app.accounts.journey import Journey
from tests.app.auth.embedded.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, running
from tests.app.auth.embedded.test_own_port import free_port
from tests.app.conftest import calling

Build = Callable[..., AbstractAsyncContextManager[House]]
DOMAIN = "acme.example"


@dataclass(frozen=True)
class Outside:
    """An identity server in a process of its own, behind a path prefix."""

    url: str
    anon: str
    service: str
    outbox: Path


@pytest.fixture(scope="session")
def provider() -> Iterator[OpenIdProvider]:
    """Over HTTP, in a thread: it outlives the event loops of tests."""
    provider, started, ended = OpenIdProvider(), threading.Event(), threading.Event()

    async def serve() -> None:
        async with running(provider):
            started.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    started.wait()
    yield provider
    ended.set()
    thread.join()


@pytest.fixture
def openid(provider: OpenIdProvider) -> OpenIdProvider:
    provider.person, provider.refusal, provider.flaw = {}, None, None
    return provider


@pytest.fixture(scope="session")
def outside(tmp_path_factory: pytest.TempPathFactory, provider: OpenIdProvider) -> Iterator[Outside]:
    folder, port = tmp_path_factory.mktemp("identity"), free_port()
    url = f"http://127.0.0.1:{port}/some/prefix"
    client = f"{provider.issuer},{CLIENT_ID},{CLIENT_SECRET}"
    command = [
        sys.executable, "-m", "app.auth.embedded", "--port", str(port), "--url", f"{url}/auth/v1",
        "--site", SITE, "--confirm-url", f"{SITE}/auth/confirm", "--outbox", str(folder / "outbox"),
        "--database", f"sqlite+aiosqlite:///{folder}/identity.db", "--floor", "0", "--mail-interval", "0",
        "--provider", f"google,{client}", "--provider", f"azure,{client}", "--sso", f"sso,{client},{DOMAIN}",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            anon, service = (process.stdout.readline().split()[1] for _ in range(2))
            _until_up(f"{url}/auth/v1/health")
            yield Outside(url, anon, service, folder / "outbox")
        finally:
            process.terminate()


def _until_up(url: str) -> None:
    for _ in range(200):
        try:
            httpx.get(url).raise_for_status()
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return


def common(tmp_path: Path) -> dict[str, Any]:
    return {
        "data_dir": tmp_path,
        "public_url": SITE,
        "limits": "off",
        "identity_floor": 0,
        "identity_mail_interval": 0,
        "_env_file": None,
    }


def embedded_providers(issuer: str) -> dict[str, Any]:
    names = ("google", "azure", "sso")
    clients = {f"oauth_{name}_{field}": value for name in names for field, value in _client(issuer).items()}
    return clients | {"oauth_sso_domains": DOMAIN}


def _client(issuer: str) -> dict[str, str]:
    return {"issuer": issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}


@pytest.fixture
def build(tmp_path: Path, knowledge: KnowledgeBase, openid: OpenIdProvider, database_url: str | None) -> Build:
    """Makes houses over the embedded identity server, with settings of one's own."""

    @asynccontextmanager
    async def built(**settings: Any) -> AsyncIterator[House]:
        given = common(tmp_path) | {"database_url": database_url} | embedded_providers(openid.issuer) | settings
        app = create_app(Settings(**given), knowledge)
        async with LifespanManager(app) as manager, calling(manager.app) as client:
            keys = manager._state["identity"]
            yield House(
                manager.app, client, Mailbox([tmp_path / "outbox"]), knowledge.database, openid,
                f"{SITE}/auth/v1", keys.anon_key, keys.service_key,
            )  # fmt: skip

    return built


@pytest.fixture
async def embedded(build: Build) -> AsyncIterator[House]:
    async with build() as house:
        yield house


@pytest.fixture(params=["embedded", "outside"])
async def house(request: pytest.FixtureRequest, tmp_path: Path, knowledge: KnowledgeBase) -> AsyncIterator[House]:
    """Either way."""
    if request.param == "embedded":
        async with request.getfixturevalue("build")() as house:
            yield house
        return
    server: Outside = request.getfixturevalue("outside")
    keys = {"SUPABASE_URL": server.url, "SUPABASE_ANON_KEY": server.anon, "SUPABASE_SERVICE_ROLE_KEY": server.service}
    app = create_app(Settings(**common(tmp_path), **keys), knowledge)
    openid = request.getfixturevalue("openid")
    async with LifespanManager(app) as manager, calling(manager.app) as client:
        yield House(
            manager.app, client, Mailbox([server.outbox, tmp_path / "outbox"]), knowledge.database, openid,
            f"{server.url}/auth/v1", server.anon, server.service,
        )  # fmt: skip


@pytest.fixture
async def http(house: House) -> httpx.AsyncClient:
    return house.http


@pytest.fixture
async def journey(house: House) -> AsyncIterator[Journey]:
    async with house.browser() as browser:
        yield Journey(house, browser)

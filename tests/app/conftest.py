"""The service over a real knowledge base in a fresh folder, and clients that call it in this process."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager
from click.testing import Result
from fastapi import FastAPI
from typer.testing import CliRunner

from app import cli
from app.api_keys.service import create_key
from app.config import Settings
from app.main import create_app
from app.migrations import migrate
from app.organizations.service import Organization, create_organization
from pipelines.knowledge import KnowledgeBase
from pipelines.store import migrate as migrations
from tests.app.described import assert_is_as_described
from tests.databases import Templates
from tests.pipelines.conftest import WordHashing

HERON = "The blue heron nests by the river in early spring. It eats small fish and frogs."


Run = Callable[..., Result]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test module with `DATABASES = BOTH` runs on both."""
    if "database_url" in metafunc.fixturenames and hasattr(metafunc.module, "DATABASES"):
        metafunc.parametrize("database_url", metafunc.module.DATABASES, indirect=True)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Templates]:
    made = Templates(tmp_path_factory.mktemp("templates"), [migrations.migrate, migrate])
    yield made
    made.close()


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path, templates: Templates) -> Iterator[str | None]:
    """That of a fresh PostgreSQL database, or None for SQLite in the data folder."""
    kind = getattr(request, "param", "sqlite")
    with templates.copied(kind, tmp_path / "kb.sqlite3") as url:
        yield None if kind == "sqlite" else url


@pytest.fixture
async def knowledge(tmp_path: Path, database_url: str | None) -> AsyncIterator[KnowledgeBase]:
    model = WordHashing(embedded=[])
    async with await KnowledgeBase.open(tmp_path, database_url=database_url, embedding=model) as opened:
        yield opened


@pytest.fixture
async def app(knowledge: KnowledgeBase, tmp_path: Path) -> AsyncIterator[FastAPI]:
    made = create_app(Settings(data_dir=tmp_path, limits="off", _env_file=None), knowledge)
    async with LifespanManager(made) as manager:
        yield manager.app


@pytest.fixture
async def organization(app: FastAPI, knowledge: KnowledgeBase) -> Organization:
    return await create_organization(knowledge.database, "Birders")


@pytest.fixture
async def secret(organization: Organization, knowledge: KnowledgeBase) -> str:
    _, secret = await create_key(knowledge.database, organization.id, "tests")
    return secret


@asynccontextmanager
async def calling(app: FastAPI, secret: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Every answer is checked against its description."""
    headers = {"X-API-Key": secret} if secret else {}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://kb.test",
        headers=headers,
        event_hooks={"response": [assert_is_as_described]},
    ) as client:
        yield client


@pytest.fixture
async def anonymous(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(app) as client:
        yield client


@pytest.fixture
async def client(app: FastAPI, secret: str) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(app, secret) as client:
        yield client


@pytest.fixture
async def stranger(app: FastAPI, knowledge: KnowledgeBase) -> AsyncIterator[httpx.AsyncClient]:
    """A client of another organization."""
    other = await create_organization(knowledge.database, "Others")
    _, secret = await create_key(knowledge.database, other.id, "tests")
    async with calling(app, secret) as client:
        yield client


@pytest.fixture
async def member(
    app: FastAPI, organization: Organization, knowledge: KnowledgeBase
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that may only read."""
    _, secret = await create_key(knowledge.database, organization.id, "reading", role="member")
    async with calling(app, secret) as client:
        yield client


def page(external_id: str = "1", **other: Any) -> dict[str, Any]:
    return {"source": "wiki", "external_id": external_id, "title": f"Page {external_id}", "content": HERON, **other}


async def created(client: httpx.AsyncClient, external_id: str = "1", **other: Any) -> dict[str, Any]:
    response = await client.post("/api/documents", json=page(external_id, **other))
    assert response.status_code == 201, response.text
    return response.json()  # type: ignore[no-any-return]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`kb` with its data in the test's folder and a model that costs nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("pipelines.configuration.resolve_embedding", lambda **_: WordHashing(embedded=[]))
    monkeypatch.setattr("pipelines.configuration.load_classifier", lambda _: None)

    def invoke(*arguments: object, code: int = 0) -> Result:
        result = CliRunner().invoke(cli.app, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output
        return result

    return invoke

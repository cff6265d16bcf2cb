"""Life, readiness, and what Prometheus reads."""

from pathlib import Path

import httpx
import pytest
from asgi_lifespan import LifespanManager
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.organizations.service import Organization
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import calling, created


async def test_a_living_and_ready_service(anonymous: httpx.AsyncClient) -> None:
    """It lives, and each thing that it needs is named."""
    assert (await anonymous.get("/healthz")).json() == {"status": "ok"}
    ready = (await anonymous.get("/readyz")).json()
    assert ready["status"] == "ok"
    assert {"database", "index"} <= ready["checks"].keys()


async def test_redis_that_is_away_is_named(knowledge: KnowledgeBase, tmp_path: Path) -> None:
    """A configured Redis counts among what the service needs to be ready."""
    settings = Settings(data_dir=tmp_path, redis_url="redis://127.0.0.1:1", _env_file=None)
    async with LifespanManager(create_app(settings, knowledge)) as manager, calling(manager.app) as client:
        response = await client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["redis"] == "failed"


async def test_without_a_token_there_are_no_metrics(anonymous: httpx.AsyncClient) -> None:
    """The address is unknown until an operator sets a token."""
    assert (await anonymous.get("/metrics")).status_code == 404


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, limits="off", metrics_token=SecretStr("scrape me"), _env_file=None)


async def test_metrics_count_requests_and_questions(
    settings: Settings, knowledge: KnowledgeBase, organization: Organization, secret: str
) -> None:
    """By route and status, answered or not; only for who has the token."""
    async with LifespanManager(create_app(settings, knowledge)) as manager, calling(manager.app, secret) as client:
        await created(client)
        for question in ("Where does the blue heron nest?", "zzz qqq"):
            await client.post("/api/ai/query", json={"question": question})
        await client.post("/api/ai/query", json={"question": "heron river", "options": {"stream": True}})
        await client.get("/nowhere")
        for token in ("", "Bearer", "Bearer wrong", "Basic scrape me"):
            assert (await client.get("/metrics", headers={"Authorization": token})).status_code == 401
        said = (await client.get("/metrics", headers={"Authorization": "bearer scrape me"})).text
    assert organization
    assert 'kb_requests_total{method="POST",route="/api/documents",status="201"} 1.0' in said
    assert 'kb_requests_total{method="POST",route="/api/ai/query",status="200"} 3.0' in said
    assert 'kb_requests_total{method="GET",route="none",status="404"} 1.0' in said
    assert 'kb_questions_total{result="answered"}' in said
    assert "kb_questions_unreranked 0.0" in said
    assert "kb_documents_pending 0.0" in said

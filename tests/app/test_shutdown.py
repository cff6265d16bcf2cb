"""Requests that outlast the server's grace period. Over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send

from app.commands.serve import OPTIONS
from app.config import Settings
from app.limits.quota import counted, month_of
from app.main import create_app
from app.middleware import Surroundings
from app.organizations.service import Organization, create_organization
from app.shutdown import Shutdown
from pipelines.knowledge import KnowledgeBase
from pipelines.types import Delta
from pipelines.worker import Indexer
from tests.app.conftest import page
from tests.app.test_conventions import assert_is_error
from tests.app.test_stream import ASKED, QUERY, events, play

GRACE = 2


@pytest.fixture
async def organization(knowledge: KnowledgeBase, server: uvicorn.Server) -> Organization:
    return await create_organization(knowledge.database, "Birders")


@pytest.fixture
async def server(knowledge: KnowledgeBase, tmp_path: Path) -> AsyncIterator[uvicorn.Server]:
    app = create_app(Settings(data_dir=tmp_path, _env_file=None), knowledge)
    options = {**OPTIONS, "timeout_graceful_shutdown": GRACE}
    made = uvicorn.Server(uvicorn.Config(app, port=0, **options))
    serving = asyncio.create_task(made.serve())
    while not made.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield made
    made.should_exit = True
    await serving


@pytest.fixture
async def client(server: uvicorn.Server, secret: str) -> AsyncIterator[httpx.AsyncClient]:
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    async with httpx.AsyncClient(base_url=address, headers={"X-API-Key": secret}, timeout=30) as made:
        yield made


async def answered(server: uvicorn.Server, request: asyncio.Task[httpx.Response]) -> httpx.Response:
    """What a request under way is told when the server ends."""
    await asyncio.sleep(0.5)
    assert not request.done()
    server.should_exit = True
    return await request


async def test_a_stream_has_its_last_event(
    server: uvicorn.Server,
    client: httpx.AsyncClient,
    knowledge: KnowledgeBase,
    organization: Organization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stream ends with one event that says so, and costs no question."""
    play(monkeypatch, knowledge, Delta("By"), 60.0)
    response = await answered(server, asyncio.create_task(client.post(QUERY, json=ASKED)))
    first, last = events(response.text)
    assert first == {"delta": "By", "done": False}
    assert (last["done"], last["citations"], last["code"]) == (True, [], "SHUTTING_DOWN")
    await assert_nothing_is_counted(response, knowledge, organization)


async def test_an_answer_is_refused(
    server: uvicorn.Server,
    client: httpx.AsyncClient,
    knowledge: KnowledgeBase,
    organization: Organization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A question that waits for its model is 503 in the shape of every error, and costs nothing."""
    play(monkeypatch, knowledge, 60.0)
    asked = asyncio.create_task(client.post(QUERY, json={"question": "Where?"}))
    response = await answered(server, asked)
    assert_is_error(response, 503, "SHUTTING_DOWN")
    assert response.headers["retry-after"]
    await assert_nothing_is_counted(response, knowledge, organization)


async def assert_nothing_is_counted(
    response: httpx.Response, knowledge: KnowledgeBase, organization: Organization
) -> None:
    reset = int(response.headers["x-ratelimit-quota-reset"])
    month = month_of(reset - 1)
    assert await knowledge.database.read(counted, organization.id, month) == 0


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_an_accepted_document_is_pending(
    server: uvicorn.Server,
    client: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
) -> None:
    """A document that is not searchable yet is kept, and the next start indexes it."""
    made = await client.post("/api/documents", json=page())

    async def never(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(Indexer, "index", never)
    path = "/api/documents/batch" if method == "POST" else f"/api/documents/{made.json()['id']}"
    changed = {"documents": [page("2")]} if method == "POST" else {"title": "New"}
    response = await answered(server, asyncio.create_task(client.request(method, path, json=changed)))
    assert response.status_code == 202
    assert '"pending"' in response.text


async def test_a_body_that_does_not_come(server: uvicorn.Server, client: httpx.AsyncClient) -> None:
    """A request whose body is still awaited is refused like any other."""
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST {QUERY} HTTP/1.1\r\nhost: kb\r\ncontent-type: application/json\r\ncontent-length: 9\r\n"
    writer.write(f"{head}x-api-key: {client.headers['x-api-key']}\r\n\r\n".encode())
    await asyncio.sleep(0.5)
    server.should_exit = True
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert b'"SHUTTING_DOWN"' in answer


async def test_short_requests_are_answered(
    server: uvicorn.Server, client: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends within the grace period is answered as ever."""
    play(monkeypatch, knowledge, 1.0, Delta("By"), RuntimeError("then"))
    response = await answered(server, asyncio.create_task(client.post(QUERY, json=ASKED)))
    assert events(response.text)[-1]["code"] == "INTERNAL_ERROR"


async def test_an_answer_under_way_is_cut_off() -> None:
    """What has begun to be answered and does not end is stopped, and that is no error."""
    shutdown, sent = Shutdown(), list[Message]()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        shutdown.begin(0.01)
        await asyncio.sleep(60)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await Surroundings(endless, shutdown=shutdown)(scope, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start"]

"""/api/ai/query, streamed."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from app.query import stream
from pipelines.errors import AnswerUnavailable
from pipelines.knowledge import KnowledgeBase
from pipelines.types import Answer, Delta
from tests.app.conftest import created

QUERY = "/api/ai/query"
ASKED = {"question": "Where does the blue heron nest?", "options": {"stream": True}}
ANSWER = Answer(text="By the river.", confidence=0.5)


def events(text: str) -> list[dict[str, Any]]:
    """The events of a stream, by its grammar: `data:` lines, comments, blank lines between."""
    assert text.endswith("\n\n")
    blocks = text.removesuffix("\n\n").split("\n\n")
    assert all(block.count("\n") == 0 and block.startswith(("data: ", ":")) for block in blocks)
    return [json.loads(block.removeprefix("data: ")) for block in blocks if not block.startswith(":")]


class Script:
    """Stands in for the library's stream: yields, raises or waits as told, and knows whether it was closed."""

    def __init__(self, *steps: Delta | Answer | Exception | float) -> None:
        self.steps = steps
        self.closed = asyncio.Event()

    async def __call__(self, *_: object, **__: object) -> AsyncGenerator[Delta | Answer, None]:
        try:
            for step in self.steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                else:
                    yield step
        finally:
            self.closed.set()


def play(
    monkeypatch: pytest.MonkeyPatch, knowledge: KnowledgeBase, *steps: Delta | Answer | Exception | float
) -> Script:
    script = Script(*steps)
    monkeypatch.setattr(knowledge, "stream", script)
    return script


async def test_deltas_are_the_answer(client: httpx.AsyncClient) -> None:
    """The pieces joined are the unstreamed answer, and the last event has its evidence."""
    await created(client)
    response = await client.post(QUERY, json=ASKED)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache, no-transform"
    assert response.headers["x-accel-buffering"] == "no"
    assert "content-length" not in response.headers
    *deltas, last = events(response.text)
    whole = (await client.post(QUERY, json={"question": ASKED["question"]})).json()
    assert all(set(event) == {"delta", "done"} and event["done"] is False for event in deltas)
    assert "".join(event["delta"] for event in deltas) == whole["answer"]
    assert set(last) == {"done", "citations", "confidence", "related_questions", "query_metadata"}
    assert (last["done"], last["citations"]) == (True, whole["citations"])


@pytest.mark.parametrize(
    ("failure", "code"),
    [(AnswerUnavailable(), "ANSWER_UNAVAILABLE"), (RuntimeError("secret"), "INTERNAL_ERROR"), (None, "INTERNAL_ERROR")],
)
async def test_later_errors_are_the_last_event(
    client: httpx.AsyncClient,
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception | None,
    code: str,
) -> None:
    """What fails after the first event ends the stream with one event that says so; so does a missing answer."""
    play(monkeypatch, knowledge, Delta("By"), *([failure] if failure else []))
    response = await client.post(QUERY, json=ASKED)
    first, last = events(response.text)
    assert (response.status_code, first) == (200, {"delta": "By", "done": False})
    assert set(last) == {"done", "citations", "error", "message", "code"}
    assert (last["done"], last["citations"], last["code"]) == (True, [], code)
    assert "secret" not in response.text


async def test_early_errors_are_http(
    client: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails before the first event is an error response like any other."""
    play(monkeypatch, knowledge, RuntimeError("secret"))
    response = await client.post(QUERY, json=ASKED)
    assert (response.status_code, response.json()["code"]) == (500, "INTERNAL_ERROR")
    assert "secret" not in response.text


async def test_silence_is_kept_alive(
    client: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comment line breaks a long silence, before the first event and after it, and loses nothing."""
    monkeypatch.setattr(stream, "SILENCE", 0.05)
    play(monkeypatch, knowledge, 0.12, Delta("By"), 0.12, Delta(" the river."), ANSWER)
    text = (await client.post(QUERY, json=ASKED)).text
    before, _, after = text.partition('data: {"delta":"By"')
    assert before.startswith(": keep-alive\n\n")
    assert ": keep-alive\n\n" in after
    assert [event["done"] for event in events(text)] == [False, False, True]


async def test_finished_streams_are_closed(
    client: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after the answer is not waited for."""
    script = play(monkeypatch, knowledge, Delta("By"), ANSWER, 60)
    assert len(events((await client.post(QUERY, json=ASKED)).text)) == 2
    assert script.closed.is_set()


@pytest.fixture
async def address(app: FastAPI) -> AsyncIterator[str]:
    """The service on a real socket of this machine."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_config=None))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


@pytest.mark.parametrize("steps", [(60.0,), (Delta("By"), 60.0)])
async def test_leaving_stops_the_stream(
    address: str, secret: str, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, steps: tuple[Any, ...]
) -> None:
    """When the client goes, before or after the first event, the model is stopped."""
    script = play(monkeypatch, knowledge, *steps)
    async with httpx.AsyncClient(base_url=address, headers={"X-API-Key": secret}) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(QUERY, json=ASKED, timeout=0.5)
    await asyncio.wait_for(script.closed.wait(), 5)


async def test_leaving_stops_an_unstreamed_answer(
    address: str, secret: str, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that does not wait for its answer costs no more model time, either."""
    script = play(monkeypatch, knowledge, 60.0)
    async with httpx.AsyncClient(base_url=address, headers={"X-API-Key": secret}) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(QUERY, json={"question": "Where?"}, timeout=0.5)
    await asyncio.wait_for(script.closed.wait(), 5)


async def test_pieces_arrive_as_they_are_made(
    address: str, secret: str, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first piece is on the wire while the model still works on the next."""
    play(monkeypatch, knowledge, Delta("By"), 1.0, ANSWER)
    async with (
        httpx.AsyncClient(base_url=address, headers={"X-API-Key": secret}) as client,
        client.stream("POST", QUERY, json=ASKED) as response,
    ):
        chunks = response.aiter_text()
        assert events(await asyncio.wait_for(anext(chunks), 0.8)) == [{"delta": "By", "done": False}]
        assert events("".join([chunk async for chunk in chunks]))[-1]["done"] is True

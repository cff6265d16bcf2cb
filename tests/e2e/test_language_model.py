"""Answers composed by a language model that answers, stalls, sends garbage or dies: exactly one terminal event."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.conftest import Json, document, refused
from tests.e2e.language_model import (
    ScriptedModel,
    answers,
    garbage,
    refuses,
    says_and_dies,
    says_and_goes_on,
    says_and_stalls,
    scripted_model,
)
from tests.e2e.running import last_line, serving

QUERY = "/api/ai/query"
TRUE = "Every parent takes sixteen weeks of paid leave [1]. "
ASKED: Json = {"question": "How many weeks of paid leave does every parent take?"}
STREAMED: Json = {**ASKED, "options": {"stream": True}}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with scripted_model() as server:
        yield server


@pytest.fixture(scope="module")
def generative(model: ScriptedModel, new_home: Callable[[], Path]) -> Iterator[httpx.Client]:
    """A service with that model, and one document."""
    folder = new_home()
    settings = {"KB_LLM_BASE_URL": model.url, "KB_LLM_MODEL": "scripted"}
    key = last_line(folder, "admin", "create-key", last_line(folder, "admin", "create-org", "Model"))
    with (
        serving(folder, **settings) as (url, _),
        httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=60) as client,
    ):
        assert client.post("/api/documents", json=document("wiki")).status_code == 201
        yield client


def events(text: str) -> list[Json]:
    return [json.loads(block.removeprefix("data: ")) for block in text.split("\n\n") if block.startswith("data: ")]


def one_end(found: list[Json]) -> Json:
    """The last event, after checking that it is the only one that ends the stream."""
    assert [event["done"] for event in found] == [False] * (len(found) - 1) + [True]
    return found[-1]


def test_streamed_is_unstreamed(generative: httpx.Client, model: ScriptedModel) -> None:
    """The pieces joined are the answer, its marker has its citation, and the model was always asked for a stream."""
    model.play(answers(TRUE))
    whole = generative.post(QUERY, json=ASKED).json()
    found = events(generative.post(QUERY, json=STREAMED).text)
    last = one_end(found)
    assert "".join(event["delta"] for event in found[:-1]) == whole["answer"]
    assert last["citations"] == whole["citations"]
    assert [int(number) for number in re.findall(r"\[(\d+)\]", whole["answer"])] == [1]
    assert len(whole["citations"]) == 1


def test_unsupported(generative: httpx.Client, model: ScriptedModel) -> None:
    """What no passage supports is not sent; when nothing is left, nothing was found."""
    model.play(answers("The moon is made of green cheese [1]. Lunar dairies export it [7]."))
    body = generative.post(QUERY, json=ASKED).json()
    assert (body["citations"], body["confidence"]) == ([], 0.0)
    assert "cheese" not in body["answer"]


@pytest.mark.parametrize("script", [garbage, refuses, says_and_dies("Eve")], ids=["garbage", "refuses", "dies"])
def test_failure_before_the_first_event(generative: httpx.Client, model: ScriptedModel, script: object) -> None:
    """What fails before anything was said is a plain 503, streamed or not."""
    for body in (ASKED, STREAMED):
        model.play(script)  # type: ignore[arg-type]
        response = generative.post(QUERY, json=body)
        refused(response, 503, "ANSWER_UNAVAILABLE")
        assert int(response.headers["retry-after"]) >= 1


def test_failure_in_the_middle(generative: httpx.Client, model: ScriptedModel) -> None:
    """A model that dies in the middle: what was said stands, and one last event says what went wrong."""
    model.play(says_and_dies(f"{TRUE}Requests go"))
    response = generative.post(QUERY, json=STREAMED)
    assert response.status_code == 200
    found = events(response.text)
    assert len(found) > 1
    last = one_end(found)
    assert (last["citations"], last["code"], last["error"]) == ([], "ANSWER_UNAVAILABLE", "Service Unavailable")
    assert last["message"]
    refused(generative.post(QUERY, json=ASKED), 503, "ANSWER_UNAVAILABLE")


def test_stalling(generative: httpx.Client, model: ScriptedModel) -> None:
    """A silent model: a comment keeps the connection open, and in the end there is one last event."""
    model.play(says_and_stalls(f"{TRUE}Requests go", 60))
    text = generative.post(QUERY, json=STREAMED).text
    assert text.count(": keep-alive\n\n") == 1
    assert one_end(events(text))["code"] == "ANSWER_UNAVAILABLE"


def test_leaving_a_stream(generative: httpx.Client, model: ScriptedModel) -> None:
    """When the client of a stream leaves, the model's call is cut within a second."""
    model.play(says_and_goes_on(f"{TRUE}Requests go", 60))
    with generative.stream("POST", QUERY, json=STREAMED) as response:
        assert next(response.iter_text())
        assert not model.cut.is_set()
    assert model.cut.wait(2)


@pytest.mark.parametrize("body", [ASKED, STREAMED], ids=["whole", "streamed"])
def test_leaving_before_anything_was_said(generative: httpx.Client, model: ScriptedModel, body: Json) -> None:
    """When the client leaves before the first event, or does not want a stream, the model's call is cut, too."""
    model.play(says_and_goes_on("", 60))
    with pytest.raises(httpx.ReadTimeout):
        generative.post(QUERY, json=body, timeout=1)
    assert model.calls == 1
    assert model.cut.wait(2)


def test_after_all_that(generative: httpx.Client, model: ScriptedModel) -> None:
    """Many calls that were left do not use up the places of those to come."""
    model.play(says_and_goes_on("", 60))
    for _ in range(6):
        with pytest.raises(httpx.ReadTimeout):
            generative.post(QUERY, json=STREAMED, timeout=0.3)
    model.play(answers(TRUE))
    assert "sixteen" in generative.post(QUERY, json=ASKED).json()["answer"]


def test_slow_reader(generative: httpx.Client, model: ScriptedModel) -> None:
    """Who reads a few bytes at a time gets the same stream in the end."""
    model.play(answers(TRUE))
    expected = events(generative.post(QUERY, json=STREAMED).text)
    found = events(slowly(generative, json.dumps(STREAMED)).decode())
    one_end(found)
    assert "".join(event["delta"] for event in found[:-1]) == "".join(event["delta"] for event in expected[:-1])


def slowly(client: httpx.Client, body: str) -> bytes:
    """What a client gets that takes sixteen bytes at a time, with next to no room for more on its side."""
    parts = urlsplit(str(client.base_url))
    headers = {
        **client.headers,
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.connect((parts.hostname, parts.port))
        slow.sendall(f"POST {QUERY} HTTP/1.1\r\n{head}\r\n{body}".encode())
        response = HTTPResponse(slow)
        response.begin()
        received = b""
        while piece := response.read(16):
            received += piece
            time.sleep(0.01)
    return received

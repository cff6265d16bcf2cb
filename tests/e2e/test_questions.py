"""Questions over HTTP: answers with verified citations, filters, searches, streams."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import Json, document, refused

QUERY, SEARCH = "/api/ai/query", "/api/ai/search"
ANSWER = {"answer", "confidence", "citations", "related_questions", "query_metadata"}
CITATION = {"id", "title", "source", "url", "snippet", "relevance", "metadata"}
METADATA = {"query_id", "response_time_ms", "sources_searched", "sources_used"}
LEAVE = "Every parent takes sixteen weeks of paid leave. Requests go to the people team at least two months ahead."
HOTEL = "In Lyon a hotel may cost 145 euros a night. Going over the ceiling is fine during trade fairs."


@pytest.fixture(scope="module")
def corpus(url: str, keys: tuple[str, str]) -> tuple[str, str]:
    """Two sources with three documents, of different days."""
    sources = f"a{uuid.uuid4().hex}", f"b{uuid.uuid4().hex}"
    with httpx.Client(base_url=url, timeout=60, headers={"X-API-Key": keys[0]}) as client:
        items = [
            document(sources[0], "leave", content=LEAVE, metadata={"author": "Ada", "updated_at": "2026-01-10"}),
            document(
                sources[0], "hotel", title="Travel", content=HOTEL, metadata={"updated_at": "2026-02-20T23:30:00-05:00"}
            ),
            document(
                sources[1], "old", content=LEAVE.replace("sixteen", "twelve"), metadata={"updated_at": "2020-05-05"}
            ),
        ]
        assert client.post("/api/documents/batch", json={"documents": items}).status_code == 200
    return sources


def ask(client: httpx.Client, question: str, path: str = QUERY, **rest: Any) -> Json:
    response = client.post(path, json={"question": question, **rest})
    assert response.status_code == 200, response.text
    body: Json = response.json()
    return body


def test_answer(client: httpx.Client, corpus: tuple[str, str]) -> None:
    """An answer has its citations, each marked, each verbatim text of its document."""
    body = ask(client, "How many weeks of paid leave does every parent take?", filters={"sources": [corpus[0]]})
    assert set(body) == ANSWER
    assert "sixteen" in body["answer"]
    marked = {int(number) for number in re.findall(r"\[(\d+)\]", body["answer"])}
    assert marked == set(range(1, len(body["citations"]) + 1)) != set()
    for citation in body["citations"]:
        assert set(citation) == CITATION
        assert citation["snippet"] in client.get(f"/api/documents/{citation['id']}").json()["content"]
        assert 0 <= citation["relevance"] <= 1
    assert 0 < body["confidence"] <= 1
    assert body["citations"][0]["metadata"] == {"author": "Ada", "updated_at": "2026-01-10"}
    assert len(body["related_questions"]) <= 3


def test_metadata(client: httpx.Client, corpus: tuple[str, str]) -> None:
    """The query's metadata counts documents in scope and documents cited."""
    metadata = ask(client, "How many weeks of leave?", filters={"sources": [corpus[0]]})["query_metadata"]
    assert set(metadata) == METADATA
    assert metadata["sources_searched"] == 2
    assert metadata["sources_used"] == 1
    assert metadata["response_time_ms"] >= 0
    assert uuid.UUID(metadata["query_id"])


def test_nothing_found(client: httpx.Client, corpus: tuple[str, str]) -> None:
    """When nothing answers the question it is still 200, without citations and without confidence."""
    for filters in ({"sources": [corpus[0]]}, {"sources": ["nowhere"]}):
        body = ask(client, "Which moon of Jupiter has volcanoes?", filters=filters)
        assert (body["citations"], body["related_questions"], body["confidence"]) == ([], [], 0.0)
        assert body["answer"]
        assert not re.search(r"\[\d+\]", body["answer"])


@pytest.mark.parametrize("question", [None, "", "  \n\u3000", 1, ["x"], {}, True])
def test_missing_question(client: httpx.Client, question: object) -> None:
    """A question that is blank, absent or no text is MISSING_QUESTION, whatever else is wrong."""
    refused(client.post(QUERY, json={"question": question}), 400, "MISSING_QUESTION")
    refused(client.post(SEARCH, json={"filters": {"x": 1}}), 400, "MISSING_QUESTION")


def test_question_length(client: httpx.Client) -> None:
    """2,000 code points after trimming are accepted, one more is not."""
    assert client.post(QUERY, json={"question": f"  {'𝕏' * 2000}\n"}).status_code == 200
    refused(client.post(QUERY, json={"question": "x" * 2001}), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "filters",
    [
        [],
        "wiki",
        1,
        {"source": ["a"]},
        {"sources": "a"},
        {"sources": [1]},
        {"sources": [None]},
        {"sources": {"a": 1}},
        {"daterange": {}},
        {"dateRange": []},
        {"dateRange": "2026-01-01"},
        {"dateRange": {"from": "2026-01-01"}},
        {"dateRange": {"start": "2026-1-1"}},
        {"dateRange": {"start": "20260101"}},
        {"dateRange": {"start": "2026-02-30"}},
        {"dateRange": {"start": "2026-01-01T00:00:00Z"}},
        {"dateRange": {"start": "２０２６-01-01"}},
        {"dateRange": {"start": ""}},
        {"dateRange": {"start": 20260101}},
        {"dateRange": {"end": "0000-01-01"}},
        {"dateRange": {"start": "2026-01-02", "end": "2026-01-01"}},
    ],
    ids=repr,
)
@pytest.mark.parametrize("path", [QUERY, SEARCH])
def test_invalid_filter(client: httpx.Client, path: str, filters: object) -> None:
    """A filter that is not exactly one of ours never silently widens a search."""
    refused(client.post(path, json={"question": "leave?", "filters": filters}), 400, "INVALID_FILTER")


@pytest.mark.parametrize(
    "options",
    [
        [],
        "x",
        {"stream": "true"},
        {"stream": 1},
        {"max_citations": 0},
        {"max_citations": 21},
        {"max_citations": "5"},
        {"max_citations": 5.5},
        {"max_citations": True},
    ],
    ids=repr,
)
def test_invalid_options(client: httpx.Client, options: object) -> None:
    """An option of the wrong type or outside its values is 400."""
    refused(client.post(QUERY, json={"question": "leave?", "options": options}), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("options", [{"limit": 0}, {"limit": 101}, {"limit": "10"}], ids=repr)
def test_invalid_limit(client: httpx.Client, options: Json) -> None:
    """A search gives 1 to 100 results."""
    refused(client.post(SEARCH, json={"question": "leave?", "options": options}), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "rest",
    [
        {"filters": None},
        {"options": None},
        {"filters": {}},
        {"filters": {"sources": []}},
        {"filters": {"dateRange": {}}},
        {"options": {}},
    ],
    ids=repr,
)
def test_absent(client: httpx.Client, rest: Json) -> None:
    """Null and empty filters and options are as if absent."""
    for path in (QUERY, SEARCH):
        assert client.post(path, json={"question": "How many weeks of leave?", **rest}).status_code == 200


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({"start": "2026-01-10", "end": "2026-01-10"}, {"leave"}),
        ({"start": "2026-01-11"}, {"hotel"}),
        ({"start": "2026-02-21", "end": "2026-02-21"}, {"hotel"}),
        ({"end": "2020-05-05"}, {"old"}),
        ({"end": "2020-05-04"}, set()),
    ],
    ids=repr,
)
def test_dates(client: httpx.Client, corpus: tuple[str, str], days: Json, expected: set[str]) -> None:
    """A date range includes both its days; a date with an offset counts as its UTC day."""
    body = ask(client, "paid leave and hotels", SEARCH, filters={"sources": [*corpus], "dateRange": days})
    assert {hit["external_id"] for hit in body["results"]} == expected
    assert body["query_metadata"]["sources_searched"] == len(expected)


def test_search(client: httpx.Client, corpus: tuple[str, str]) -> None:
    """A search ranks documents, each once, with a snippet of it."""
    body = ask(client, "hotel in Lyon", SEARCH, filters={"sources": [*corpus]}, options={"limit": 2})
    assert set(body) == {"results", "query_metadata"}
    assert set(body["query_metadata"]) == METADATA
    assert next(hit["external_id"] for hit in body["results"]) == "hotel"
    assert len(body["results"]) == 2
    assert set(body["results"][0]) == {"id", "title", "source", "external_id", "url", "snippet", "score", "metadata"}
    scores = [hit["score"] for hit in body["results"]]
    assert scores == sorted(scores, reverse=True)


def test_scope(other: httpx.Client, corpus: tuple[str, str]) -> None:
    """Another organization finds nothing of it."""
    assert ask(other, LEAVE, SEARCH)["results"] == [] or not {
        hit["source"] for hit in ask(other, LEAVE, SEARCH)["results"]
    } & {*corpus}
    assert ask(other, "How many weeks of paid leave?", filters={"sources": [*corpus]})["citations"] == []


def events(response: httpx.Response) -> list[Json]:
    """The stream's events, after checking its grammar: `data: ` and an object, separated by blank lines."""
    text = response.read().decode()
    blocks = text.split("\n\n")
    assert blocks.pop() == ""
    assert all(block.startswith("data: ") or block == ": keep-alive" for block in blocks)
    return [json.loads(block.removeprefix("data: ")) for block in blocks if block.startswith("data: ")]


@pytest.mark.parametrize(
    "question", ["How many weeks of paid leave does every parent take?", "Which moon of Jupiter has volcanoes?"]
)
def test_stream(client: httpx.Client, corpus: tuple[str, str], question: str) -> None:
    """A streamed answer is the unstreamed one, piece by piece, with its evidence in exactly one last event."""
    body = {"question": question, "filters": {"sources": [corpus[0]]}}
    with client.stream("POST", QUERY, json={**body, "options": {"stream": True}}) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache, no-transform"
        assert response.headers["x-accel-buffering"] == "no"
        *pieces, last = events(response)
    whole = client.post(QUERY, json=body).json()
    assert all(set(piece) == {"delta", "done"} and piece["done"] is False for piece in pieces)
    assert "".join(piece["delta"] for piece in pieces) == whole.pop("answer")
    assert last.pop("done") is True
    assert set(last) == ANSWER - {"answer"}
    assert {**last, "query_metadata": 0} == {**whole, "query_metadata": 0}


def test_stream_refusals(client: httpx.Client, nobody: httpx.Client) -> None:
    """What is wrong before the first event is a plain refusal."""
    asked = {"question": "", "options": {"stream": True}}
    refused(client.post(QUERY, json=asked), 400, "MISSING_QUESTION")
    refused(nobody.post(QUERY, json={**asked, "question": "x"}), 401, "UNAUTHORIZED")

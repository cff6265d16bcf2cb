"""/api/ai/query, unstreamed, and /api/ai/search."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest

from pipelines.errors import AnswerUnavailable, IndexUnavailable
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import HERON, created

QUESTION = "Where does the blue heron nest?"
QUERY, SEARCH = "/api/ai/query", "/api/ai/search"


async def test_answer_has_the_specified_fields(client: httpx.AsyncClient) -> None:
    """An answer comes with its evidence and statistics, and nothing else."""
    made = await created(client, url="https://example.com/a", metadata={"author": "Ada"})
    response = await client.post(QUERY, json={"question": QUESTION})
    body = response.json()
    assert response.status_code == 200
    assert list(body) == ["answer", "citations", "confidence", "related_questions", "query_metadata"]
    assert set(body["query_metadata"]) == {"query_id", "response_time_ms", "sources_searched", "sources_used"}
    for cited in body["citations"]:
        assert set(cited) == {"id", "title", "source", "url", "snippet", "relevance", "metadata"}
        assert (cited["id"], cited["metadata"]) == (made["id"], {"author": "Ada"})
        assert cited["snippet"] in HERON


async def test_nothing_found_is_no_error(client: httpx.AsyncClient) -> None:
    """Without documents the answer says so, with empty citations and no confidence."""
    body = (await client.post(QUERY, json={"question": QUESTION})).json()
    assert (body["citations"], body["related_questions"], body["confidence"]) == ([], [], 0.0)
    assert body["answer"]
    assert body["query_metadata"]["sources_searched"] == 0


@pytest.mark.parametrize("question", ["\u200b", "\ufeff \u200d", "\u202e"])
async def test_a_question_that_nobody_sees(client: httpx.AsyncClient, question: str) -> None:
    """Signs without a shape are no question."""
    response = await client.post(QUERY, json={"question": question})
    assert (response.status_code, response.json()["code"]) == (400, "MISSING_QUESTION")


@pytest.mark.parametrize("question", ['"', "?!", "((((", "—"])
async def test_a_question_of_signs_has_no_answer(client: httpx.AsyncClient, question: str) -> None:
    """Without a letter or a digit nothing is asked, so nothing is found."""
    await created(client)
    body = (await client.post(QUERY, json={"question": question})).json()
    assert (body["citations"], body["confidence"]) == ([], 0.0)


async def test_others_documents_are_not_searched(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    """An organization finds only what is its own."""
    await created(client)
    for path in (QUERY, SEARCH):
        body = (await stranger.post(path, json={"question": QUESTION})).json()
        assert body["query_metadata"]["sources_searched"] == 0


async def test_search_ranks_documents(client: httpx.AsyncClient) -> None:
    """A search answers documents, best first, up to the limit."""
    await created(client, "1")
    await created(client, "2", content="Taxes are due in April.")
    response = await client.post(SEARCH, json={"question": QUESTION})
    body = response.json()
    assert body["results"][0]["external_id"] == "1"
    fields = {"id", "title", "source", "external_id", "url", "snippet", "score", "metadata"}
    assert set(body["results"][0]) == fields
    limited = await client.post(SEARCH, json={"question": QUESTION, "options": {"limit": 1}})
    assert len(limited.json()["results"]) == 1


@pytest.mark.parametrize("question", [{}, {"question": None}, {"question": ""}, {"question": " \n"}, {"question": 5}])
async def test_missing_question(client: httpx.AsyncClient, question: dict[str, Any]) -> None:
    """A question that is absent, blank or no string is missing, whatever else is wrong."""
    for path in (QUERY, SEARCH):
        response = await client.post(path, json=question | {"filters": 1, "options": 1})
        assert (response.status_code, response.json()["code"]) == (400, "MISSING_QUESTION")


@pytest.mark.parametrize(
    "filters",
    [
        [],
        "wiki",
        {"source": ["wiki"]},
        {"sources": "wiki"},
        {"sources": [1]},
        {"dateRange": "2026-01-01"},
        {"dateRange": {"from": "2026-01-01"}},
        {"dateRange": {"start": "2026-02-30"}},
        {"dateRange": {"start": "20260101"}},
        {"dateRange": {"start": "2026-1-1"}},
        {"dateRange": {"start": "2026-01-01T00:00:00Z"}},
        {"dateRange": {"start": 20260101}},
        {"dateRange": {"start": "2026-02-01", "end": "2026-01-01"}},
        {"date_range": {}},
    ],
)
async def test_invalid_filters(client: httpx.AsyncClient, filters: Any) -> None:
    """A filter that is not understood is refused instead of ignored."""
    for path in (QUERY, SEARCH):
        response = await client.post(path, json={"question": QUESTION, "filters": filters, "options": 1})
        assert (response.status_code, response.json()["code"]) == (400, "INVALID_FILTER")
        assert response.json()["details"][0]["field"].startswith("filters")


@pytest.mark.parametrize(
    "asked",
    [
        {"question": "x" * 2001},
        {"options": []},
        {"options": {"stream": "true"}},
        {"options": {"stream": 1}},
        {"options": {"max_citations": 0}},
        {"options": {"max_citations": 21}},
        {"options": {"max_citations": 2.5}},
        {"options": {"max_citations": True}},
    ],
)
async def test_invalid_options(client: httpx.AsyncClient, asked: dict[str, Any]) -> None:
    """A question that is too long and options of wrong types are invalid."""
    response = await client.post(QUERY, json={"question": QUESTION, **asked})
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("limit", [0, 101, "5"])
async def test_search_limit(client: httpx.AsyncClient, limit: Any) -> None:
    """A search answers 1 to 100 documents."""
    response = await client.post(SEARCH, json={"question": QUESTION, "options": {"limit": limit}})
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    ("filters", "searched"),
    [
        (None, 3),
        ({}, 3),
        ({"sources": []}, 3),
        ({"sources": ["wiki"]}, 2),
        ({"sources": ["crm", "wiki"]}, 3),
        ({"sources": ["none"]}, 0),
        ({"dateRange": {}}, 3),
        ({"dateRange": {"start": "2026-01-02", "end": "2026-01-02"}}, 1),
        ({"sources": ["wiki"], "dateRange": {"end": "2026-01-01"}}, 1),
    ],
)
async def test_filters_narrow(client: httpx.AsyncClient, filters: Any, searched: int) -> None:
    """Sources are alternatives; the days of a range are both included; unknown options are ignored."""
    await created(client, "1", metadata={"updated_at": "2026-01-01"})
    await created(client, "2", metadata={"updated_at": "2026-01-02"})
    await created(client, "3", source="crm", metadata={"updated_at": "2026-03-01"})
    asked = {"question": QUESTION, "filters": filters, "options": None, "unknown": 1}
    for path in (QUERY, SEARCH):
        response = await client.post(path, json=asked)
        assert response.status_code == 200, response.text
        assert response.json()["query_metadata"]["sources_searched"] == searched


async def test_longest_question(client: httpx.AsyncClient) -> None:
    """The 2,000 characters of a question are counted after trimming."""
    response = await client.post(QUERY, json={"question": f" {'𝄞' * 2000} ", "options": {"unknown": 1}})
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("error", "code"), [(AnswerUnavailable(), "ANSWER_UNAVAILABLE"), (IndexUnavailable(), "INDEX_UNAVAILABLE")]
)
async def test_unavailable(
    client: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    """What cannot be answered now is 503 and says when to come back, streamed or not."""

    async def failing(*_: object, **__: object) -> AsyncGenerator[Any, None]:
        raise error
        yield

    monkeypatch.setattr(knowledge, "stream", failing)
    for stream in (False, True):
        response = await client.post(QUERY, json={"question": QUESTION, "options": {"stream": stream}})
        assert (response.status_code, response.json()["code"]) == (503, code)
        assert int(response.headers["retry-after"]) >= 1

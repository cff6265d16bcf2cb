"""A rerank API over real HTTP: well behaved, slow, broken and talking nonsense."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle

from pipelines.knowledge import KnowledgeBase
from pipelines.reranking import RemoteReranker, resolve_reranker
from pipelines.types import Scope
from tests.pipelines.conftest import WordHashing, document
from tests.pipelines.scripted_http import Answer, Server, running

FUSED, RERANKED = ["0", "1", "2"], ["2", "0", "1"]


def said(answer: Any) -> Answer:
    return 200, json.dumps(answer).encode()


def by_rarity(request: dict[str, Any]) -> Answer:
    """The passage with most of the question's words first, in the shape that Cohere and others share."""
    asked = set(request["query"].lower().split())
    texts = request.get("documents") or request["texts"]
    scores = [len(asked & set(text.lower().split())) for text in texts]
    rows = [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]
    return said({"results": sorted(rows, key=lambda row: -row["relevance_score"])})


@pytest.fixture
def server() -> Iterator[Server]:
    with running(by_rarity) as server:
        yield server


Make = Callable[..., RemoteReranker]


@pytest.fixture
async def reranker(server: Server) -> AsyncIterator[Make]:
    """Makes rerankers that ask the server."""
    all_made: list[RemoteReranker] = []

    def make(**settings: Any) -> RemoteReranker:
        options = {"base_url": f"http://127.0.0.1:{server.server_port}/v1", "model": "some-reranker", **settings}
        made = resolve_reranker(**options)
        assert isinstance(made, RemoteReranker)
        all_made.append(made)
        return made

    yield make
    for made in all_made:
        await made.aclose()


def places(nodes: list[NodeWithScore]) -> list[str]:
    return [node.node_id for node in nodes]


async def test_passages_come_in_the_servers_order(
    server: Server, reranker: Make, nodes: list[NodeWithScore], question: QueryBundle
) -> None:
    """Question, passages with their headings, model and key go there; each place keeps its fused score."""
    asked = reranker(api_key="secret")
    reranked = await asked.apostprocess_nodes(nodes, question)
    assert places(reranked) == RERANKED
    assert [node.score for node in reranked] == [1.0, 0.9, 0.8]
    [request] = server.requests
    assert (request["model"], request["query"]) == ("some-reranker", question.query_str)
    assert request["documents"][0] == "Page\nHerons nest in April."
    assert (server.paths, server.keys) == (["/v1/rerank"], ["Bearer secret"])
    assert asked.failures == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]},
        [{"index": 2, "score": 0.9}, {"index": 0, "score": -0.2}, {"index": 1, "score": -3}],
        {"results": [{"index": 2, "relevance_score": -1.5}]},
    ],
)
async def test_other_shapes_are_read(
    server: Server, reranker: Make, nodes: list[NodeWithScore], question: QueryBundle, answer: Any
) -> None:
    """Voyage's, text-embeddings-inference's, and one that leaves the worse passages out: these keep their order."""
    server.script = [said(answer)]
    assert places(await reranker().apostprocess_nodes(nodes, question)) == RERANKED


async def test_without_a_model_it_is_text_embeddings_inference(
    server: Server, reranker: Make, nodes: list[NodeWithScore], question: QueryBundle
) -> None:
    """Which serves one model and calls the passages texts."""
    await reranker(model=None, base_url=f"http://127.0.0.1:{server.server_port}/rerank").apostprocess_nodes(
        nodes, question
    )
    assert set(server.requests[0]) == {"query", "texts", "truncate"}
    assert server.paths == ["/rerank"]


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"{}"),
        (401, b'{"error": "no such key"}'),
        (200, b"<html>"),
        (200, b"null"),
        said({}),
        said({"results": []}),
        said({"results": [{"index": 3, "relevance_score": 1.0}]}),
        said({"results": [{"index": -1, "relevance_score": 1.0}]}),
        said({"results": [{"index": 1, "relevance_score": 1.0}, {"index": 1, "relevance_score": 0.5}]}),
        said({"results": [{"index": 1, "relevance_score": "high"}]}),
        (200, b'{"results": [{"index": 1, "relevance_score": NaN}]}'),
        said({"results": ["first", "second"]}),
    ],
)
async def test_whatever_goes_wrong_the_fused_order_counts(
    server: Server,
    reranker: Make,
    nodes: list[NodeWithScore],
    question: QueryBundle,
    answer: Answer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With a warning that names no text, counted; and nobody waits for it for a while."""
    server.script = [answer]
    asked = reranker()
    with caplog.at_level(logging.WARNING):
        assert places(await asked.apostprocess_nodes(nodes, question)) == FUSED
    assert "reranker" in caplog.text
    assert "swifts" not in caplog.text
    assert places(await asked.apostprocess_nodes(nodes, question)) == FUSED
    assert len(server.requests) == 1
    assert asked.failures == 2


async def test_it_is_asked_again_after_a_pause(
    server: Server, reranker: Make, nodes: list[NodeWithScore], question: QueryBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has recovered counts again."""
    monkeypatch.setattr("pipelines.reranking.base.PAUSE", 0.0)
    server.script = [(503, b"")]
    asked = reranker()
    orders = [places(await asked.apostprocess_nodes(nodes, question)) for _ in range(2)]
    assert orders == [FUSED, RERANKED]


async def test_a_slow_server_is_not_waited_for(
    server: Server, reranker: Make, nodes: list[NodeWithScore], question: QueryBundle
) -> None:
    """Longer than the setting says."""

    def slowly(request: dict[str, Any]) -> Answer:
        time.sleep(1.0)
        return by_rarity(request)

    server.script = [slowly]
    asked = reranker(timeout=0.1)
    before = time.monotonic()
    assert places(await asked.apostprocess_nodes(nodes, question)) == FUSED
    assert time.monotonic() - before < 0.9


async def test_a_busy_reranker_has_not_failed(
    reranker: Make, nodes: list[NodeWithScore], question: QueryBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who gets no place in time has the fused order; the next one is asked for again at once."""
    asked = reranker(timeout=0.2)
    monkeypatch.setattr(asked, "_places", asyncio.Semaphore(0))
    assert places(await asked.apostprocess_nodes(nodes, question)) == FUSED
    asked._places.release()
    assert places(await asked.apostprocess_nodes(nodes, question)) == RERANKED


async def test_questions_are_answered_from_the_new_order(
    server: Server, reranker: Make, tmp_path: Path, embedding: WordHashing, scope: Scope
) -> None:
    """In search and in answers, under the fused scores' scale; when it is down they are answered all the same."""
    wanted = "Swifts nest under the eaves of the old mill."

    def the_mill(request: dict[str, Any]) -> Answer:
        texts = request["documents"]
        return said({"results": [{"index": next(at for at, text in enumerate(texts) if "mill" in text), "score": 1}]})

    server.usually = the_mill
    found = [document(str(at), f"Swifts nest in place {at}, say the swifts.") for at in range(4)]
    async with await KnowledgeBase.open(tmp_path, embedding=embedding, postprocessors=[reranker()]) as knowledge:
        await knowledge.put_many([*found, document("mill", wanted)], scope)
        best, second, *_ = (await knowledge.search("Where do swifts nest?", scope)).hits
        assert (best.external_id, best.score >= second.score) == ("mill", True)
        assert (await knowledge.answer("Where do swifts nest?", scope)).citations
        server.script = [(500, b"")]
        assert (await knowledge.search("Where do swifts nest?", scope)).hits[0].external_id != "mill"
        assert (await knowledge.answer("Where do swifts nest?", scope)).citations
        assert knowledge.unreranked == 2

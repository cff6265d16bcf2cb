"""Both targets say the same of the same knowledge base: the library in process and a service over HTTP."""

import json
from datetime import date
from hashlib import sha256

import httpx
import numpy as np
import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding

from eval.targets import HttpTarget, PipelineTarget
from eval.types import Cited, Filters, Found, TargetError, TargetUnavailable
from pipelines.errors import KnowledgeBaseError
from pipelines.knowledge import KnowledgeBase
from pipelines.types import NewDocument


class WordHashes(BaseEmbedding):
    """A text's vector is the sum of its words' random ones."""

    def _get_text_embedding(self, text):
        words = text.lower().replace(".", " ").replace("?", " ").split()
        return list(sum(self._vector(word) for word in ["", *words]))

    @staticmethod
    def _vector(word):
        seed = int.from_bytes(sha256(word.encode()).digest()[:4], "big")
        return np.random.default_rng(seed).standard_normal(64)

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def document(external_id, content="Flights are booked 14 days ahead.", **others):
    return NewDocument(**{"source": "wiki", "external_id": external_id, "title": "Travel", "content": content} | others)


DOCUMENTS = [
    document("travel"),
    document("lunch", "The canteen serves lunch until two.", source="drive", title="Canteen"),
    document("old", "Flights were booked by e-mail.", metadata={"updated_at": "2020-01-01T00:00:00Z"}),
]


class Scripted:
    """A service that answers from a script and notes what it was asked."""

    def __init__(self, *responses):
        self.responses = list(responses)
        self.requests = []

    def __call__(self, request):
        body = json.loads(request.content) if request.content else None
        self.requests.append((request.method, str(request.url), body))
        self.key = request.headers["X-API-Key"]
        answer = self.responses.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def target(self, **options):
        return HttpTarget("http://service/", "secret", transport=httpx.MockTransport(self), **options)


def ok(**body):
    return httpx.Response(200, json=body)


def accepted(*documents, status="indexed"):
    return ok(
        results=[{"id": f"id-{d.external_id}", "external_id": d.external_id, "status": status} for d in documents]
    )


async def test_documents_are_sent_fifty_at_a_time():
    """120 documents make three batches, as upserts, with the key, and without what a document does not have."""
    documents = [document(f"d{i}") for i in range(120)]
    service = Scripted(*(accepted(*documents[at : at + 50]) for at in (0, 50, 100)))
    async with service.target() as target:
        await target.ingest(documents)
    assert [len(body["documents"]) for _, _, body in service.requests] == [50, 50, 20]
    assert {url for _, url, _ in service.requests} == {"http://service/api/documents/batch?upsert=true"}
    assert service.requests[0][2]["documents"][0].keys() == {"source", "external_id", "title", "content"}
    assert service.key == "secret"


async def test_ingestion_waits_until_pending_documents_are_indexed():
    """What a batch leaves pending is asked for until it is indexed."""
    there = {"id": "id-a", "external_id": "a"}
    service = Scripted(
        accepted(document("a"), status="pending"), ok(**there, status="pending"), ok(**there, status="indexed")
    )
    async with service.target() as target:
        await target.ingest([document("a")])
    assert [request[:2] for request in service.requests[1:]] == [("GET", "http://service/api/documents/id-a")] * 2


async def test_a_document_that_fails_is_an_error_with_its_reason():
    """A refused item and one whose indexing fails end the ingest."""
    error = {"code": "INVALID_REQUEST", "message": "no title"}
    refused = ok(results=[{"id": None, "external_id": "a", "status": "error", "error": error}])
    async with Scripted(refused).target() as target:
        with pytest.raises(TargetError, match="no title"):
            await target.ingest([document("a")])
    failed = ok(id="id-a", external_id="a", status="failed", error="too strange")
    async with Scripted(accepted(document("a"), status="pending"), failed).target() as target:
        with pytest.raises(TargetError, match="too strange"):
            await target.ingest([document("a")])


async def test_search_asks_as_specified():
    """Limit and filters go into the body; results come back best first."""
    hit = {"id": "id-a", "external_id": "a", "snippet": "s", "score": 0.9, "title": "T"}
    service = Scripted(ok(results=[hit], query_metadata={}))
    async with service.target() as target:
        found = await target.search("What?", 7, Filters(("wiki",), date(2026, 1, 1), date(2026, 2, 1)))
    assert found == [Found("a", "s", 0.9)]
    assert service.requests == [
        (
            "POST",
            "http://service/api/ai/search",
            {
                "question": "What?",
                "options": {"limit": 7},
                "filters": {"sources": ["wiki"], "dateRange": {"start": "2026-01-01", "end": "2026-02-01"}},
            },
        )
    ]


async def test_no_filter_is_sent_when_there_is_none():
    """A question without filters has no member of that name."""
    service = Scripted(ok(results=[]))
    async with service.target() as target:
        await target.search("What?")
    assert service.requests[0][2] == {"question": "What?", "options": {"limit": 10}}


async def test_citations_are_named_by_external_id():
    """The service's own ids are mapped back; one that is not known is looked up, once."""
    citations = [{"id": "id-a", "snippet": "x", "relevance": 0.5}, {"id": "id-z", "snippet": "y", "relevance": 0.4}]
    answer = ok(answer="X [1]. Y [2].", confidence=0.8, citations=citations, related_questions=["Why?"])
    service = Scripted(accepted(document("a")), answer, ok(id="id-z", external_id="z"), answer)
    async with service.target() as target:
        await target.ingest([document("a")])
        reply = await target.ask("What?", 2)
        again = await target.ask("What?", 2)
    assert reply.citations == (Cited("a", "x", 0.5), Cited("z", "y", 0.4))
    assert (reply.text, reply.confidence, reply.related_questions) == ("X [1]. Y [2].", 0.8, ("Why?",))
    assert again == reply
    assert service.requests[1][2] == {"question": "What?", "options": {"max_citations": 2}}


async def test_a_rate_limit_is_waited_out():
    """429 is no failure: the question is asked again. How long that took is known, and the first wait is told."""
    again = httpx.Response(429, headers={"Retry-After": "0.01"})
    service = Scripted(again, again, ok(results=[]), again, ok(results=[]))
    told = []
    async with service.target(tell=told.append) as target:
        assert await target.search("What?") == []
        assert await target.search("What?") == []
        assert target.waited == pytest.approx(0.03)
    assert len(service.requests) == 5
    [line] = told
    assert line.startswith("429: waiting 0.01 s")


async def test_an_exhausted_quota_is_not_waited_out():
    """A month is no pause: the question fails, and says until when."""
    service = Scripted(httpx.Response(429, headers={"Retry-After": "86400"}))
    async with service.target() as target:
        with pytest.raises(TargetError, match="429, and not again before 86400 s"):
            await target.search("?")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(503, text="INDEX_UNAVAILABLE"), "503 INDEX_UNAVAILABLE"),
        (httpx.ConnectError("refused"), "ConnectError: refused"),
    ],
)
async def test_what_the_service_says_is_in_the_error(answer, message):
    """An error status and an unreachable service are one kind of error."""
    async with Scripted(answer).target() as target:
        with pytest.raises(TargetError, match=message):
            await target.search("What?")


@pytest.mark.parametrize("answer", [httpx.Response(401, text="INVALID"), httpx.ConnectError("refused")])
async def test_a_service_that_never_let_us_in_is_unavailable(answer):
    """A wrong key, or nobody there, is no question's failure; once a call has been answered it is."""
    async with Scripted(answer).target() as target:
        with pytest.raises(TargetUnavailable, match="http://service cannot be evaluated: POST /api/ai/search: "):
            await target.search("What?")
    async with Scripted(ok(results=[]), answer).target() as target:
        await target.search("What?")
        with pytest.raises(TargetError) as caught:
            await target.search("Why?")
    assert type(caught.value) is TargetError


@pytest.fixture
async def library(tmp_path):
    async with await KnowledgeBase.open(tmp_path, embedding=WordHashes(model_name="words")) as knowledge:
        target = PipelineTarget.over(knowledge, "small")
        await target.ingest(DOCUMENTS)
        yield target


async def test_the_library_finds_documents_best_first(library):
    """Search names each document once, by its external id, with text of it."""
    first, *others = await library.search("When are flights booked 14 days ahead?")
    assert first.external_id == "travel"
    assert first.snippet in DOCUMENTS[0].content
    assert sorted(one.external_id for one in others) == ["lunch", "old"]
    assert len(await library.search("flights", 1)) == 1


async def test_the_library_keeps_to_filters(library):
    """Nothing from outside a source or a span of days is found."""
    assert [hit.external_id for hit in await library.search("flights", filters=Filters(("drive",)))] == ["lunch"]
    before = Filters(end=date(2021, 1, 1))
    assert [hit.external_id for hit in await library.search("flights", filters=before)] == ["old"]


async def test_ingesting_again_changes_nothing(library):
    """The same documents once more are still three."""
    await library.ingest(DOCUMENTS)
    assert len(await library.search("anything")) == 3


async def test_words_alone_find_only_what_has_the_words(tmp_path):
    """Without vectors a document that shares no word with the question is not found."""
    async with await KnowledgeBase.open(tmp_path, embedding=WordHashes(model_name="words")) as knowledge:
        target = PipelineTarget.over(knowledge, "small", words_only=True)
        await target.ingest(DOCUMENTS)
        assert {hit.external_id for hit in await target.search("flights")} == {"travel", "old"}


async def test_the_library_answers_with_citations_of_external_ids(library):
    """An answer's citations name documents of the data set, their snippets stand in them."""
    reply = await library.ask("How many days ahead are flights booked?")
    texts = {one.external_id: one.content for one in DOCUMENTS}
    assert all(cited.snippet in texts[cited.external_id] for cited in reply.citations)
    assert 0 <= reply.confidence <= 1


async def test_what_the_library_refuses_is_an_error(library):
    """A document that cannot be indexed ends the ingest with its reason."""

    async def refuse(*_, **__):
        return [KnowledgeBaseError("No more today.")]

    library._knowledge.put_many = refuse
    with pytest.raises(TargetError, match="No more today"):
        await library.ingest(DOCUMENTS[:1])

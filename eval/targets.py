"""What is evaluated: the library in process, or a running service over HTTP; the runner cannot tell which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid5

import httpx

from eval.datasets import batches
from eval.types import EVERYTHING, Cited, Filters, Found, Reply, TargetError, TargetUnavailable
from pipelines.errors import KnowledgeBaseError
from pipelines.knowledge import KnowledgeBase, by_document
from pipelines.types import DocumentStatus, NewDocument, Retrieval, Scope

BATCH = 50
POLL = 0.05
PATIENCE = 120
"""Seconds."""
SHUT = {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND}
NAMESPACE = UUID("6d6f1f0a-4e0b-4d6b-9a57-0c6f2b1f6d10")


class PipelineTarget:
    """The library in this process, in a folder; opened by `PipelineTarget.open`."""

    waited = 0.0

    def __init__(self, knowledge: KnowledgeBase, organization_id: UUID, *, words_only: bool = False) -> None:
        self._knowledge = knowledge
        self._organization_id = organization_id
        self._words_only = words_only

    @classmethod
    async def open(cls, folder: Path, name: str, *, words_only: bool = False, **options: Any) -> PipelineTarget:
        """`words_only` searches by BM25 alone; `options` are those of `KnowledgeBase.open`."""
        return cls.over(await KnowledgeBase.open(folder, **options), name, words_only=words_only)

    @classmethod
    def over(cls, knowledge: KnowledgeBase, name: str, *, words_only: bool = False) -> PipelineTarget:
        """Each name has an organization of its own."""
        return cls(knowledge, uuid5(NAMESPACE, name), words_only=words_only)

    def _scope(self, filters: Filters = EVERYTHING) -> Scope:
        return Scope(self._organization_id, frozenset(filters.sources), filters.start, filters.end)

    async def ingest(self, documents: Sequence[NewDocument]) -> None:
        for batch in batches(documents, BATCH):
            for result in await self._knowledge.put_many(batch, self._scope(), wait=600):
                if isinstance(result, KnowledgeBaseError):
                    raise TargetError(str(result))
                if result.document.status is not DocumentStatus.INDEXED:
                    raise TargetError(f"{result.document.external_id}: {result.document.error or 'not indexed'}")

    async def search(self, question: str, limit: int = 10, filters: Filters = EVERYTHING) -> list[Found]:
        scope = self._scope(filters)
        if self._words_only:
            hits = by_document(await self._knowledge.search_words(question, scope, 10 * limit))[:limit]
        else:
            hits = (await self._knowledge.search(question, scope, limit=limit)).hits
        return [Found(hit.external_id, hit.snippet, hit.score) for hit in hits]

    async def ask(self, question: str, max_citations: int | None = None, filters: Filters = EVERYTHING) -> Reply:
        answer = await self._knowledge.answer(question, self._scope(filters), max_citations=max_citations)
        cited = tuple(Cited(one.external_id, one.snippet, one.relevance) for one in answer.citations)
        return Reply(answer.text, answer.confidence, cited, answer.related_questions)

    async def retrieve(self, question: str, limit: int) -> Retrieval:
        """The evidence that an answer is made of."""
        return await self._knowledge.retrieve(question, self._scope(), limit=limit)

    async def close(self) -> None:
        await self._knowledge.close()


class HttpTarget:
    """A running service, seen from outside. A 429 is waited out, unless it is a quota of days; `tell` hears of the
    first."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        tell: Callable[[str], None] = lambda _: None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._client = httpx.AsyncClient(
            base_url=base_url.rstrip("/"), headers={"X-API-Key": api_key}, timeout=600, transport=transport
        )
        self._tell = tell
        self._been_in = False
        self._external: dict[str, str] = {}
        self.waited = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """The parsed body of a success. Raises TargetError; TargetUnavailable where nothing has been let in yet."""
        while True:
            try:
                response = await self._client.request(method, path, json=body)
            except httpx.HTTPError as error:
                raise self._shut(f"{method} {path}: {type(error).__name__}: {error}") from error
            if response.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            wait = float(response.headers.get("Retry-After") or 1)
            if wait > PATIENCE:
                raise TargetError(f"{method} {path}: 429, and not again before {wait:g} s")
            await self._wait(wait)
        if response.status_code in SHUT:
            raise self._shut(f"{method} {path}: {response.status_code} {response.text[:300]}")
        self._been_in = True
        if response.is_error:
            raise TargetError(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response.json()

    def _shut(self, said: str) -> TargetError:
        if self._been_in:
            return TargetError(said)
        return TargetUnavailable(f"{self._client.base_url} cannot be evaluated: {said}")

    async def _wait(self, seconds: float) -> None:
        if not self.waited:
            self._tell(f"429: waiting {seconds:g} s, and again whenever asked to; it is no part of the latency …")
        self.waited += seconds
        await asyncio.sleep(seconds)

    async def ingest(self, documents: Sequence[NewDocument]) -> None:
        for batch in batches(documents, BATCH):
            body = {"documents": [_as_json(document) for document in batch]}
            results = (await self.call("POST", "/api/documents/batch?upsert=true", body))["results"]
            for result in results:
                if result["status"] == "error":
                    raise TargetError(f"{result.get('external_id')}: {result['error']}")
                self._external[result["id"]] = result["external_id"]
            await self._until_indexed([result["id"] for result in results if result["status"] == "pending"])

    async def _until_indexed(self, pending: Sequence[str]) -> None:
        while pending:
            documents = [await self.call("GET", f"/api/documents/{document_id}") for document_id in pending]
            for document in documents:
                if document["status"] == "failed":
                    raise TargetError(f"{document['external_id']}: {document.get('error') or 'not indexed'}")
            pending = [document["id"] for document in documents if document["status"] == "pending"]
            await asyncio.sleep(POLL if pending else 0)

    async def search(self, question: str, limit: int = 10, filters: Filters = EVERYTHING) -> list[Found]:
        body = _question(question, filters, limit=limit)
        results = (await self.call("POST", "/api/ai/search", body))["results"]
        return [Found(hit["external_id"], hit["snippet"], hit["score"]) for hit in results]

    async def ask(self, question: str, max_citations: int | None = None, filters: Filters = EVERYTHING) -> Reply:
        wanted = {} if max_citations is None else {"max_citations": max_citations}
        body = _question(question, filters, **wanted)
        answer = await self.call("POST", "/api/ai/query", body)
        cited = [
            Cited(await self._external_id(one["id"]), one["snippet"], one["relevance"]) for one in answer["citations"]
        ]
        return Reply(answer["answer"], answer["confidence"], tuple(cited), tuple(answer["related_questions"]))

    async def _external_id(self, document_id: str) -> str:
        if document_id not in self._external:
            document = await self.call("GET", f"/api/documents/{document_id}")
            self._external[document_id] = document["external_id"]
        return self._external[document_id]

    async def close(self) -> None:
        await self._client.aclose()


def _as_json(document: NewDocument) -> dict[str, Any]:
    fields: Mapping[str, Any] = {
        "source": document.source,
        "external_id": document.external_id,
        "title": document.title,
        "content": document.content,
        "url": document.url,
        "metadata": document.metadata,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _question(question: str, filters: Filters, **options: object) -> dict[str, Any]:
    days = {"start": filters.start, "end": filters.end}
    span = {name: day.isoformat() for name, day in days.items() if day}
    chosen = ({"sources": list(filters.sources)} if filters.sources else {}) | ({"dateRange": span} if span else {})
    return {"question": question, "options": options} | ({"filters": chosen} if chosen else {})

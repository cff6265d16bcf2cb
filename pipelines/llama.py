"""The knowledge base in LlamaIndex's own terms, for its evaluators, postprocessors and chat engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, Protocol, TypeVar

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.response.schema import AsyncStreamingResponse, Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from pipelines.embedding import Embedding
from pipelines.nodes import HIDDEN, to_node
from pipelines.types import Answer, Citation, Delta, Hit, Retrieval, Scope

Result = TypeVar("Result")


class Knowledge(Protocol):
    """What these need of a knowledge base."""

    async def retrieve(self, question: str, scope: Scope, *, limit: int | None = None) -> Retrieval: ...

    async def search_words(self, question: str, scope: Scope, limit: int = 10) -> tuple[Hit, ...]: ...

    async def answer(self, question: str, scope: Scope, *, max_citations: int | None = None) -> Answer: ...

    def stream(
        self, question: str, scope: Scope, *, max_citations: int | None = None
    ) -> AsyncGenerator[Delta | Answer, None]: ...


class _Bridge:
    """Lets LlamaIndex's synchronous calls reach the event loop that the knowledge base lives in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self._loop:
            work.close()
            raise RuntimeError("inside an event loop use the asynchronous call: aretrieve, aquery")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class LlamaEmbedding(BaseEmbedding):
    """An embedding model of the library for LlamaIndex's own parts: evaluators, semantic splitters, other indexes."""

    _model: Embedding = PrivateAttr()

    def __init__(self, model: Embedding) -> None:
        super().__init__(model_name=model.model_name)
        self._model = model

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(self._model.embed_query(query).tolist())

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return list(self._model.embed_passages(texts).tolist())

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


class FusionRetriever(BaseRetriever):
    """Hybrid retrieval under one scope as a LlamaIndex retriever: at most `limit` passages, best first."""

    def __init__(self, knowledge: Knowledge, scope: Scope, limit: int = 10) -> None:
        super().__init__()
        self._knowledge = knowledge
        self._scope = scope
        self._limit = limit
        self._bridge = _Bridge()

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._knowledge.retrieve(query_bundle.query_str, self._scope, limit=self._limit)
        return [to_node(hit) for hit in found.hits]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._bridge.wait(self._aretrieve(query_bundle))


class LexicalRetriever(BaseRetriever):
    """The lexical half alone (BM25) as a LlamaIndex retriever; scores are BM25's own."""

    def __init__(self, knowledge: Knowledge, scope: Scope, limit: int = 10) -> None:
        super().__init__()
        self._knowledge = knowledge
        self._scope = scope
        self._limit = limit
        self._bridge = _Bridge()

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = await self._knowledge.search_words(query_bundle.query_str, self._scope, self._limit)
        return [to_node(hit) for hit in hits]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._bridge.wait(self._aretrieve(query_bundle))


class KnowledgeQueryEngine(BaseQueryEngine):
    """Verified answers under one scope as a LlamaIndex query engine.

    `response.metadata` carries confidence, citations and related questions; `source_nodes` are the cited passages.
    """

    def __init__(self, knowledge: Knowledge, scope: Scope, *, streaming: bool = False) -> None:
        super().__init__(CallbackManager([]))
        self._knowledge = knowledge
        self._scope = scope
        self._streaming = streaming
        self._bridge = _Bridge()

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> Response | AsyncStreamingResponse:
        if self._streaming:
            return self._stream(query_bundle.query_str)
        answer = await self._knowledge.answer(query_bundle.query_str, self._scope)
        return Response(answer.text, source_nodes=cited_nodes(answer), metadata=facts(answer))

    def _stream(self, question: str) -> AsyncStreamingResponse:
        response = AsyncStreamingResponse(response_gen=_never(), metadata={})

        async def deltas() -> Any:
            async for event in self._knowledge.stream(question, self._scope):
                if isinstance(event, Delta):
                    yield event.text
                else:
                    response.source_nodes, response.metadata = cited_nodes(event), facts(event)

        response.response_gen = deltas()
        return response

    def _query(self, query_bundle: QueryBundle) -> Response | AsyncStreamingResponse:
        return self._bridge.wait(self._aquery(query_bundle))


async def _never() -> Any:
    return
    yield  # makes this an asynchronous generator


def cited_nodes(answer: Answer) -> list[NodeWithScore]:
    """The citations' snippets in their order, scored by relevance."""
    return [NodeWithScore(node=_cited(one), score=one.relevance) for one in answer.citations]


def _cited(citation: Citation) -> TextNode:
    return TextNode(
        text=citation.snippet,
        metadata={
            "title": citation.title,
            "source": citation.source,
            "external_id": citation.external_id,
            "document_id": str(citation.document_id),
            "url": citation.url,
        },
        excluded_embed_metadata_keys=HIDDEN,
        excluded_llm_metadata_keys=HIDDEN,
    )


def facts(answer: Answer) -> dict[str, Any]:
    return {
        "confidence": answer.confidence,
        "citations": [str(one.document_id) for one in answer.citations],
        "related_questions": list(answer.related_questions),
    }

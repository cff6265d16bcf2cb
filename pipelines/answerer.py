"""From a question to its answer: retrieve, judge whether there is one, make claims, compose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from pipelines.answering.composer import compose, compose_at_once, nothing_found
from pipelines.answering.extractive import extract
from pipelines.answering.reading import Reading, read
from pipelines.confidence import Calibration, Judgement, calibration_for, judge, relevance
from pipelines.embedding import Embedding
from pipelines.follow_ups import follow_ups
from pipelines.retrieval import HybridRetriever
from pipelines.types import Answer, Delta, Hit, Retrieval, Scope, Vector

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from pipelines.answering.generative import Generator

PASSAGES = 20
"""Best passages that an answer and what is asked next are made from."""


class Answerer:
    """Answers over a retriever; without an LLM the sentences are the documents' own."""

    def __init__(
        self,
        retriever: HybridRetriever,
        embedding: Embedding,
        llm: LLM | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._retriever = retriever
        self._embedding = embedding
        self._generator = self._made_with(llm) if llm else None
        self._calibration = calibration or calibration_for(embedding.model_name)

    async def stream(self, question: str, scope: Scope, *, max_citations: int) -> AsyncGenerator[Delta | Answer, None]:
        """Pieces of text, then the answer. Without enough evidence no model is called. Raises AnswerUnavailable."""
        if self._generator is None:
            work = partial(self._extracted, max_citations=max_citations)
            for event in await self._retriever.retrieve_and(work, question, scope, limit=PASSAGES):
                yield event
            return
        events = self._generated(self._generator, question, scope, max_citations)
        async with aclosing(events):
            async for event in events:
                yield event

    def _extracted(self, retrieval: Retrieval, max_citations: int) -> list[Delta | Answer]:
        reading, judgement = self._judged(retrieval)
        if not judgement.is_answerable:
            return list(nothing_found(retrieval.documents_searched))
        finds = self._retriever.finder(retrieval.scope)
        events = compose_at_once(
            extract(reading, max_citations=max_citations),
            confidence=judgement.confidence,
            relevance=self._relevance,
            follow_ups=lambda made: follow_ups(reading, made, finds),
            documents_searched=retrieval.documents_searched,
            max_citations=max_citations,
        )
        return list(events)

    async def _generated(
        self, generator: Generator, question: str, scope: Scope, max_citations: int
    ) -> AsyncGenerator[Delta | Answer, None]:
        reading, judgement = await self._retriever.retrieve_and(self._judged, question, scope, limit=PASSAGES)
        searched = reading.retrieval.documents_searched
        if not judgement.is_answerable:
            for event in nothing_found(searched):
                yield event
            return
        finds = self._retriever.finder(scope)
        async with aclosing(generator.claims(question, [passage.hit for passage in reading.passages])) as claims:
            events = compose(
                claims,
                confidence=judgement.confidence,
                relevance=self._relevance,
                follow_ups=lambda made: asyncio.to_thread(follow_ups, reading, made, finds),
                documents_searched=searched,
                max_citations=max_citations,
            )
            async with aclosing(events):
                async for event in events:
                    yield event

    def _judged(self, retrieval: Retrieval) -> tuple[Reading, Judgement]:
        reading = read(retrieval)
        if not any(map(str.isalnum, retrieval.question.text)):
            return reading, Judgement(is_answerable=False, confidence=0.0)  # signs alone are near to whatever is short
        return reading, judge(reading, self._calibration)

    def _relevance(self, hit: Hit) -> float:
        return relevance(hit, self._calibration)

    def _made_with(self, llm: LLM) -> Generator:
        from pipelines.answering.generative import Generator  # LlamaIndex's imports take most of two seconds

        return Generator(llm, self._embed)

    async def _embed(self, text: str) -> Vector:
        return await asyncio.to_thread(self._embedding.embed_query, text)

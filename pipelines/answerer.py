"""From a question to its answer: retrieve, judge whether there is one, make claims, compose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from pipelines.answering.claims import Claim
from pipelines.answering.composer import compose, nothing_found
from pipelines.answering.extractive import extract
from pipelines.answering.reading import Reading, read
from pipelines.confidence import Calibration, Judgement, calibration_for, judge, relevance
from pipelines.embedding import Embedding
from pipelines.follow_ups import follow_ups
from pipelines.retrieval import HybridRetriever
from pipelines.types import Answer, Delta, Retrieval, Scope, Vector

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
        retrieval = await self._retriever.retrieve(question, scope, limit=PASSAGES)
        reading, judgement = await asyncio.to_thread(_read_and_judge, retrieval, self._calibration)
        if not judgement.is_answerable:
            for event in nothing_found(retrieval.documents_searched):
                yield event
            return
        finds = self._retriever.finder(scope)
        async with aclosing(self._claims(reading, max_citations)) as claims:
            events = compose(
                claims,
                confidence=judgement.confidence,
                relevance=lambda hit: relevance(hit, self._calibration),
                follow_ups=lambda made: asyncio.to_thread(follow_ups, reading, made, finds),
                documents_searched=retrieval.documents_searched,
                max_citations=max_citations,
            )
            async with aclosing(events):
                async for event in events:
                    yield event

    async def _claims(self, reading: Reading, max_citations: int) -> AsyncGenerator[Claim, None]:
        if self._generator is None:
            for claim in await asyncio.to_thread(extract, reading, max_citations=max_citations):
                yield claim
            return
        hits = [passage.hit for passage in reading.passages]
        async with aclosing(self._generator.claims(reading.retrieval.question.text, hits)) as claims:
            async for claim in claims:
                yield claim

    def _made_with(self, llm: LLM) -> Generator:
        from pipelines.answering.generative import Generator  # LlamaIndex's imports take most of two seconds

        return Generator(llm, self._embed)

    async def _embed(self, text: str) -> Vector:
        return await asyncio.to_thread(self._embedding.embed_query, text)


def _read_and_judge(retrieval: Retrieval, calibration: Calibration) -> tuple[Reading, Judgement]:
    reading = read(retrieval)
    if not any(map(str.isalnum, retrieval.question.text)):
        return reading, Judgement(is_answerable=False, confidence=0.0)  # signs alone are near to whatever is short
    return reading, judge(reading, calibration)

"""From a question to its answer: retrieve, judge whether there is one, make claims, compose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from llama_index.core.llms import LLM

from pipelines.answering.claims import Claim
from pipelines.answering.composer import compose, nothing_found
from pipelines.answering.extractive import extract
from pipelines.answering.generative import Generator
from pipelines.answering.reading import Reading, read
from pipelines.embedding import Embedding
from pipelines.retrieval import HybridRetriever
from pipelines.types import Answer, Delta, Hit, Scope, Vector


PASSAGES = 20
"""Best passages that an answer is made from."""


class Answering:
    """Answers over a retriever; without an LLM the sentences are the documents' own."""

    def __init__(self, retriever: HybridRetriever, embedding: Embedding, llm: LLM | None = None) -> None:
        self._retriever = retriever
        self._embedding = embedding
        self._generator = Generator(llm, self._embed) if llm else None

    async def stream(
        self, question: str, scope: Scope, *, max_citations: int
    ) -> AsyncGenerator[Delta | Answer, None]:
        retrieval = await self._retriever.retrieve(question, scope, limit=PASSAGES)
        reading = await asyncio.to_thread(read, retrieval)
        confidence = judge(reading)
        if confidence < 0.2:
            for event in nothing_found(retrieval.documents_searched):
                yield event
            return
        events = compose(
            self._claims(reading, max_citations),
            confidence=confidence,
            relevance=lambda hit: max(0.0, min(1.0, hit.cosine)),
            follow_ups=self._follow_ups,
            documents_searched=retrieval.documents_searched,
            max_citations=max_citations,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _claims(self, reading: Reading, max_citations: int) -> AsyncIterator[Claim]:
        if self._generator is None:
            for claim in await asyncio.to_thread(extract, reading, max_citations=max_citations):
                yield claim
            return
        hits: list[Hit] = [passage.hit for passage in reading.passages]
        async with aclosing(self._generator.claims(reading.retrieval.question.text, hits)) as claims:
            async for claim in claims:
                yield claim

    async def _follow_ups(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        return ()

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        return list(await asyncio.to_thread(self._embedding.embed_passages, texts))


def judge(reading: Reading) -> float:
    if not reading.passages:
        return 0.0
    best = max(reading.passages, key=lambda passage: passage.coverage)
    return max(0.0, min(1.0, 0.5 * best.coverage + 0.5 * max(p.hit.cosine for p in reading.passages)))

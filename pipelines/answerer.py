"""From a question to its answer: retrieve, judge whether there is one, make claims, compose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from pipelines.answering.claims import Claim
from pipelines.answering.composer import compose, nothing_found
from pipelines.answering.extractive import WORDS, extract_all
from pipelines.answering.units import count_words
from pipelines.confidence import Calibration, calibration_for, relevance
from pipelines.embedding import Embedding
from pipelines.follow_ups import MOST, Finds, follow_ups, is_new
from pipelines.inquiry import Inquiry, inquiry_of
from pipelines.retrieval import HybridRetriever
from pipelines.splitting import looks_multi_part, split
from pipelines.text.tokens import detect_language
from pipelines.types import Answer, Delta, Scope, Vector

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from pipelines.answering.assistant import Assistant
    from pipelines.answering.generative import Generator

PASSAGES = 20
"""Best passages that an answer and what is asked next are made from."""
SURE = 0.3
"""Confidence with which a model's follow-up question must be answered."""
SHOWN = 5
"""Passages that a model is shown to ask on."""


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
        self._assistant = self._beside(self._generator) if self._generator else None
        self._calibration = calibration or calibration_for(embedding.model_name)

    async def stream(self, question: str, scope: Scope, *, max_citations: int) -> AsyncGenerator[Delta | Answer, None]:
        """Pieces of text, then the answer. Without enough evidence no model is called. Raises AnswerUnavailable."""
        inquiry = await self._inquire(question, scope, max_citations)
        if not inquiry.readings:
            for event in nothing_found(inquiry.documents_searched):
                yield event
            return
        async with aclosing(self._claims(inquiry, max_citations)) as claims:
            events = compose(
                claims,
                confidence=inquiry.confidence,
                relevance=lambda hit: relevance(hit, self._calibration),
                follow_ups=lambda made: self._follow_ups(inquiry, made, scope),
                documents_searched=inquiry.documents_searched,
                max_citations=max_citations,
                note=inquiry.note,
            )
            async with aclosing(events):
                async for event in events:
                    yield event

    async def _inquire(self, question: str, scope: Scope, max_citations: int) -> Inquiry:
        """Its parts by rules; by the model, if it may have parts and anything at all was found."""
        inquiry = await self._find_parts(question, split(question), scope, max_citations)
        if not (self._assistant and inquiry.readings and looks_multi_part(question)):
            return inquiry
        parts = await self._assistant.parts(question)
        if parts in ((), inquiry.parts):
            return inquiry
        other = await self._find_parts(question, parts, scope, max_citations)
        return other if other.readings else inquiry

    async def _find_parts(self, question: str, parts: Sequence[str], scope: Scope, max_citations: int) -> Inquiry:
        """Its parts searched apart, if each can be cited; the question itself where that finds nothing of its own."""
        if 1 < len(parts) <= max_citations and (inquiry := await self._find(question, parts, scope)).is_split:
            return inquiry
        return await self._find(question, (question,), scope)

    async def _find(self, question: str, parts: Sequence[str], scope: Scope) -> Inquiry:
        retrievals = await self._retriever.retrieve_all(parts, scope, limit=PASSAGES)
        return await asyncio.to_thread(inquiry_of, question, retrievals, self._calibration)

    async def _claims(self, inquiry: Inquiry, max_citations: int) -> AsyncGenerator[Claim, None]:
        if self._generator is None:
            words = WORDS - count_words(inquiry.note)
            for claim in await asyncio.to_thread(
                extract_all, inquiry.readings, max_citations=max_citations, words=words
            ):
                yield claim
            return
        async with aclosing(self._generator.claims(inquiry.question, inquiry.hits)) as claims:
            async for claim in claims:
                yield claim

    async def _follow_ups(self, inquiry: Inquiry, claims: Sequence[Claim], scope: Scope) -> tuple[str, ...]:
        """The model's, as far as they are new and have an answer, and to three those by rules."""
        finds = self._retriever.finder(scope)
        known: list[str] = []

        async def take(question: str) -> bool:
            if await self._is_next(question, inquiry, known, finds):
                known.append(question)
            return len(known) < MOST

        if self._assistant:
            await self._assistant.next_questions(inquiry.question, inquiry.hits[:SHOWN], take)
        return await asyncio.to_thread(follow_ups, inquiry, claims, finds, known)

    async def _is_next(self, question: str, inquiry: Inquiry, known: Sequence[str], finds: Finds) -> bool:
        """Whether it asks something new, finds what was found before, and would be answered."""
        if not is_new(question, detect_language(question), (*inquiry.asked, *known)):
            return False
        near = {hit.document_id: hit for hit in inquiry.hits}.values()
        if not await asyncio.to_thread(lambda: any(finds(question, hit) > 0 for hit in near)):
            return False
        found = await self._find(question, (question,), inquiry.scope)
        return found.confidence >= SURE

    def _made_with(self, llm: LLM) -> Generator:
        from pipelines.answering.generative import Generator  # LlamaIndex's imports take most of two seconds

        return Generator(llm, self._embed)

    @staticmethod
    def _beside(generator: Generator) -> Assistant:
        from pipelines.answering.assistant import Assistant  # LlamaIndex's imports, too

        return Assistant(generator.model)

    async def _embed(self, text: str) -> Vector:
        return await asyncio.to_thread(self._embedding.embed_query, text)

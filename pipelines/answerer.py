"""From a question to its answer: retrieve, judge whether there is one, make claims, compose."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from pipelines.answer_cache import AnswerCache, Asked, KeptAnswer
from pipelines.answering.claims import Claim
from pipelines.answering.composer import compose, compose_at_once, nothing_found
from pipelines.answering.extractive import FURTHER, WORDS, extract_all
from pipelines.answering.units import count_words
from pipelines.calibration import Calibration, calibration_for
from pipelines.confidence import Classifier, relevance
from pipelines.decomposition import looks_multi_part, split
from pipelines.embedding import Embedding
from pipelines.errors import KnowledgeBaseError
from pipelines.follow_ups import MOST, Finds, follow_ups, is_new
from pipelines.inquiry import Inquiry, inquiry_of
from pipelines.retrieval import HybridRetriever
from pipelines.text.tokens import detect_language
from pipelines.types import Answer, Delta, Hit, Retrieval, Scope, Vector

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from pipelines.answering.assistant import Assistant
    from pipelines.answering.generative import Generator

logger = logging.getLogger(__name__)

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
        classifier: Classifier | None = None,
    ) -> None:
        self._retriever = retriever
        self._embedding = embedding
        self._generator = self._made_with(llm) if llm else None
        self._assistant = self._beside(self._generator) if self._generator else None
        self._cache = AnswerCache()
        self._calibration = calibration or calibration_for(embedding.model_name)
        self._classifier = classifier

    async def stream(self, question: str, scope: Scope, *, max_citations: int) -> AsyncGenerator[Delta | Answer, None]:
        """Pieces of text, then the answer. Without enough evidence no model is called. Raises AnswerUnavailable."""
        if self._generator is None:
            asked = Asked(question, scope, max_citations)
            kept = await self._again(asked) or await self._extracted(asked)
            for event in kept.events:
                yield event
            return
        inquiry = await self._inquire(question, scope, max_citations)
        if not inquiry.readings:
            for event in nothing_found(inquiry.documents_searched):
                yield event
            return
        async with aclosing(self._generator.claims(inquiry.question, inquiry.hits)) as claims:
            events = compose(
                claims,
                confidence=lambda supported: self._calibration.of_generated(supported * inquiry.confidence),
                relevance=self._relevance,
                follow_ups=lambda made: self._follow_ups(inquiry, made, scope),
                documents_searched=inquiry.documents_searched,
                max_citations=max_citations,
                note=inquiry.note,
            )
            async with aclosing(events):
                async for event in events:
                    yield event

    async def _again(self, asked: Asked) -> KeptAnswer | None:
        """The answer that was given before, if nothing has changed since: the database is asked."""
        kept = self._cache.get(asked)
        return kept if kept and kept.moment == await self._retriever.moment(asked.scope) else None

    async def _extracted(self, asked: Asked) -> KeptAnswer:
        """All of an answer without a model, in as few turns of threads as can be."""
        question, scope, most = asked.question, asked.scope, asked.max_citations
        if inquiry := await self._find_parts(question, split(question), scope, most):
            told = await self._retriever.run(self._told, inquiry, most)
        else:
            retrieval = await self._retriever.retrieve(question, scope, limit=PASSAGES)
            told = await self._retriever.run(lambda: self._told(self._read(question, [retrieval]), most))
        if told.moment and not self._retriever.is_postprocessed:
            self._cache.keep(asked, told)
        return told

    def _told(self, inquiry: Inquiry, max_citations: int) -> KeptAnswer:
        return KeptAnswer(inquiry.moment, tuple(self._events(inquiry, max_citations)))

    def _events(self, inquiry: Inquiry, max_citations: int) -> Iterable[Delta | Answer]:
        if not inquiry.readings:
            return nothing_found(inquiry.documents_searched)
        finds = self._retriever.finder(inquiry.scope, inquiry.moment)
        words = max(FURTHER, WORDS - count_words(inquiry.note))
        return compose_at_once(
            extract_all(inquiry.readings, max_citations=max_citations, words=words),
            confidence=inquiry.confidence,
            relevance=self._relevance,
            follow_ups=lambda made: follow_ups(inquiry, made, finds),
            documents_searched=inquiry.documents_searched,
            max_citations=max_citations,
            note=inquiry.note,
        )

    async def _inquire(self, question: str, scope: Scope, max_citations: int) -> Inquiry:
        """Its parts by rules; by the model, if it may have parts and anything at all was found."""
        by_rules = await self._find_parts(question, split(question), scope, max_citations)
        inquiry = by_rules or await self._find(question, (question,), scope)
        if not (self._assistant and inquiry.readings and looks_multi_part(question)):
            return inquiry
        parts = await self._assistant.parts(question)
        if parts in ((), inquiry.parts):
            return inquiry
        if parts == (question,):
            return await self._find(question, (question,), scope)
        other = await self._find_parts(question, parts, scope, max_citations)
        return other if other and other.readings else inquiry

    async def _find_parts(
        self, question: str, parts: Sequence[str], scope: Scope, max_citations: int
    ) -> Inquiry | None:
        """The parts searched apart, if each can be cited; None where that finds nothing of its own."""
        if not 1 < len(parts) <= max_citations:
            return None
        inquiry = await self._find(question, parts, scope)
        return inquiry if inquiry.is_split else None

    async def _find(self, question: str, parts: Sequence[str], scope: Scope) -> Inquiry:
        retrievals = await self._retriever.retrieve_all(parts, scope, limit=PASSAGES)
        return await self._retriever.run(self._read, question, retrievals)

    def _read(self, question: str, retrievals: Sequence[Retrieval]) -> Inquiry:
        return inquiry_of(question, retrievals, self._calibration, self._embedding.languages, self._classifier)

    def _relevance(self, hit: Hit) -> float:
        return relevance(hit, self._calibration)

    async def _follow_ups(self, inquiry: Inquiry, claims: Sequence[Claim], scope: Scope) -> tuple[str, ...]:
        """The model's, as far as they are new and have an answer, and to three those by rules."""
        finds = self._retriever.finder(scope, inquiry.moment)
        known: list[str] = []

        async def take(question: str) -> bool:
            if await self._is_next(question, inquiry, known, finds):
                known.append(question)
            return len(known) < MOST

        if self._assistant:
            await self._assistant.next_questions(inquiry.question, inquiry.hits[:SHOWN], take)
        return await asyncio.to_thread(follow_ups, inquiry, claims, finds, known)

    async def _is_next(self, question: str, inquiry: Inquiry, known: Sequence[str], finds: Finds) -> bool:
        """Whether it asks something new, finds what was found before, and would be answered; not where that fails."""
        if not is_new(question, detect_language(question), (*inquiry.asked, *known)):
            return False
        near = {hit.document_id: hit for hit in inquiry.hits}.values()
        if not await asyncio.to_thread(lambda: any(finds(question, hit) > 0 for hit in near)):
            return False
        try:
            found = await self._find(question, (question,), inquiry.scope)
        except (KnowledgeBaseError, SQLAlchemyError) as error:  # the answer before it has been given already
            logger.warning("follow-up question not checked: %s", type(error).__name__)
            return False
        return self._calibration.of_generated(found.confidence) >= SURE

    def _made_with(self, llm: LLM) -> Generator:
        from pipelines.answering.generative import Generator  # LlamaIndex's imports take most of two seconds

        return Generator(llm, self._embed)

    @staticmethod
    def _beside(generator: Generator) -> Assistant:
        from pipelines.answering.assistant import Assistant  # LlamaIndex's imports, too

        return Assistant(generator.model)

    async def _embed(self, text: str) -> Vector:
        return await asyncio.to_thread(self._embedding.embed_query, text)

"""The way of a question up to its hits: both halves under a scope, looked up in the database, scored by both, fused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from llama_index.core.postprocessor.types import BaseNodePostprocessor

from pipelines import llama
from pipelines.embedding import Embedding
from pipelines.errors import IndexUnavailable
from pipelines.following import Indexes, OrganizationIndexes
from pipelines.fusion import ConvexCombination, Fusion
from pipelines.similarity import cosines
from pipelines.store import changes
from pipelines.store.changes import IndexState
from pipelines.store.database import Database
from pipelines.store.lookup import Found, lookup, to_hit, vectors
from pipelines.text.tokens import query_tokens
from pipelines.types import Hit, Question, Retrieval, Scope, Vector

CANDIDATES = 50
"""Passages of each half."""
PASSAGES_A_DOCUMENT = 3
ATTEMPTS = 5
"""Searches before an answer is given although what was found keeps changing."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the two indexes found: scores by passage id, not yet looked up."""

    question: Question
    scope: Scope
    cosines: dict[int, float]
    bm25: dict[int, float]
    documents_searched: int | None

    def ids(self) -> list[int]:
        return list(self.cosines.keys() | self.bm25.keys())


class HybridRetriever:
    """Retrieval over all organizations; each call names one by its scope."""

    def __init__(
        self,
        database: Database,
        indexes: Indexes,
        embedding: Embedding,
        fusion: Fusion | None = None,
        postprocessors: Sequence[BaseNodePostprocessor] = (),
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._embedding = embedding
        self._fusion = fusion or ConvexCombination()
        self._postprocessors = postprocessors

    async def retrieve(self, question: str, scope: Scope, *, limit: int | None = None, least: int = 0) -> Retrieval:
        """At most `limit` passages, best first; enough to choose from for `least` documents of a few passages each.

        What is not current any more is dropped, and searched again if that left a gap.
        """
        candidates_wanted = max(CANDIDATES, PASSAGES_A_DOCUMENT * least)
        vector: Vector | None = None
        for left in reversed(range(ATTEMPTS)):
            state = await self._indexes.state(scope.organization_id)
            if state is None:
                return await self._nothing(question, scope)
            try:
                candidates = await self._search(state, question, scope, candidates_wanted, vector)
            except IndexUnavailable:
                if not await self._was_replaced(state):
                    raise
                continue
            vector = candidates.question.vector
            found, now = await self._lookup(candidates, scope)
            if not left or now is None or now == state:
                return await self._retrieval(candidates, found, state, limit)
        raise IndexUnavailable

    async def _retrieval(
        self, candidates: Candidates, found: dict[int, Found], state: IndexState, limit: int | None
    ) -> Retrieval:
        question, scope = candidates.question, candidates.scope
        # Asked of the database's own rows: an index may not have heard yet that a document has moved.
        allowed = [one for one in found.values() if scope.allows(one.source, one.day)]
        hits = self._fuse(candidates, allowed, limit)
        if self._postprocessors:
            hits = await llama.postprocess(hits, self._postprocessors, question.text)
        searched = state.documents if candidates.documents_searched is None else candidates.documents_searched
        return Retrieval(question=question, scope=scope, hits=hits, documents_searched=searched)

    async def _nothing(self, question: str, scope: Scope) -> Retrieval:
        vector = await asyncio.to_thread(self._embedding.embed_query, question)
        empty = Question(text=question, vector=vector, term_weights={})
        return Retrieval(question=empty, scope=scope, hits=(), documents_searched=0)

    async def _search(
        self, state: IndexState, question: str, scope: Scope, limit: int, vector: Vector | None
    ) -> Candidates:
        indexes = await self._indexes.current(state, in_memory=scope.is_filtered)
        return await asyncio.to_thread(self._search_indexes, indexes, question, scope, limit, vector)

    def _search_indexes(
        self, indexes: OrganizationIndexes, text: str, scope: Scope, limit: int, vector: Vector | None
    ) -> Candidates:
        lexical = indexes.lexical
        terms = query_tokens(text, lexical.languages)
        vector = self._embedding.embed_query(text) if vector is None else vector
        question = Question(text=text, vector=vector, term_weights=lexical.weights(terms))
        rows = indexes.matrix.allowed(scope) if scope.is_filtered else None
        cosines = indexes.nearest(vector, rows, limit)
        bm25 = lexical.search(terms, scope, limit) if terms else {}
        if terms:
            bm25 |= lexical.scores(terms, [passage for passage in cosines if passage not in bm25])
        searched = None if rows is None else indexes.matrix.count_documents(rows)
        return Candidates(question, scope, cosines, bm25, searched)

    async def search_words(self, question: str, scope: Scope, limit: int) -> tuple[Hit, ...]:
        """BM25 alone, best first."""
        state = await self._indexes.state(scope.organization_id)
        if state is None:
            return ()
        indexes = await self._indexes.current(state)
        terms = query_tokens(question, indexes.lexical.languages)
        scores = await asyncio.to_thread(indexes.lexical.search, terms, scope, limit) if terms else {}
        found = await self._database.read(lookup, scope.organization_id, list(scores))
        return tuple(to_hit(found[i], score, 0.0, score) for i, score in scores.items() if i in found)

    async def _lookup(self, candidates: Candidates, scope: Scope) -> tuple[dict[int, Found], IndexState | None]:
        """What of the candidates is current, and, if not all are, the state of things after looking."""
        ids = candidates.ids()
        found = await self._database.read(lookup, scope.organization_id, ids)
        if len(found) == len(ids):
            return found, None
        return found, await self._database.read(changes.state, scope.organization_id)

    async def _was_replaced(self, state: IndexState) -> bool:
        """Whether the indexes that failed have meanwhile given way to a new generation."""
        now = await self._database.read(changes.state, state.organization_id)
        return now is None or now.generation != state.generation

    def _fuse(self, candidates: Candidates, found: Sequence[Found], limit: int | None) -> tuple[Hit, ...]:
        if not found:
            return ()
        question = candidates.question
        cosine = cosines(vectors(found), question.vector).astype(np.float64)
        bm25 = np.array([candidates.bm25.get(one.id, 0.0) for one in found])
        known = np.count_nonzero(list(question.term_weights.values())) / max(1, len(question.term_weights))
        scores = self._fusion(cosine, bm25, known=float(known))
        order = np.argsort(-scores, kind="stable")[:limit].tolist()
        return tuple(to_hit(found[at], float(scores[at]), float(cosine[at]), float(bm25[at])) for at in order)

"""The way of a question up to its hits: both halves under a scope, looked up in the database, scored by both, fused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from pipelines.embedding import Embedding
from pipelines.errors import IndexUnavailable
from pipelines.following import Indexes, OrganizationIndexes
from pipelines.fusion import ConvexCombination, Fusion
from pipelines.lexical import BM25_BOUND
from pipelines.similarity import cosines
from pipelines.store import changes
from pipelines.store.changes import IndexState
from pipelines.store.database import Database
from pipelines.store.lookup import lookup, stacked, to_hit, vectors
from pipelines.text.tokens import query_tokens
from pipelines.types import Hit, Question, Retrieval, Scope, Vector

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

CANDIDATES = 50
"""Passages of each half."""
PASSAGES_A_DOCUMENT = 3
REMEMBERED = 2048
"""Questions whose vectors are kept: the same ones are asked again and again."""
ATTEMPTS = 5
"""Searches before an answer is given although what was found keeps changing."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the two indexes found: scores by passage id, each candidate scored by both, not yet looked up."""

    question: Question
    scope: Scope
    cosines: dict[int, float]
    bm25: dict[int, float]
    documents_searched: int | None

    def without_cosine(self) -> list[int]:
        """Found by their words alone, and their vectors not in memory."""
        return [passage for passage in self.bm25 if passage not in self.cosines]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its scores."""

    id: int
    score: float
    cosine: float
    bm25: float


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Hits, and whether everything that was looked up is still current."""

    hits: tuple[Hit, ...]
    is_complete: bool


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
        self._embed = lru_cache(REMEMBERED)(self._embed_anew)
        self._fusion = fusion or ConvexCombination()
        self._postprocessors = postprocessors

    @property
    def unreranked(self) -> int:
        """Questions so far that a reranker failed to reorder."""
        return sum(getattr(one, "failures", 0) for one in self._postprocessors)

    async def close(self) -> None:
        """Lets go of what postprocessors hold, where they can be told."""
        for one in self._postprocessors:
            if close := getattr(one, "aclose", None):
                await close()

    async def retrieve(self, question: str, scope: Scope, *, limit: int | None = None, least: int = 0) -> Retrieval:
        """At most `limit` passages, best first; enough to choose from for `least` documents of a few passages each.

        What is not current any more is dropped, and searched again if that left a gap.
        """
        wanted = max(CANDIDATES, PASSAGES_A_DOCUMENT * least)
        vector: Vector | None = None
        for left in reversed(range(ATTEMPTS)):
            state = await self._indexes.state(scope.organization_id)
            if state is None:
                return await self._nothing(question, scope)
            try:
                candidates = await self._search(state, question, scope, wanted, vector)
            except IndexUnavailable:
                if not await self._was_replaced(state):
                    raise
                continue
            vector = candidates.question.vector
            found = await self._look_up(candidates, limit, least)
            if not left or found.is_complete or await self._stands(state):
                return await self._retrieval(candidates, found.hits, state)
        raise IndexUnavailable

    async def retrieve_all(self, questions: Sequence[str], scope: Scope, *, limit: int) -> list[Retrieval]:
        """Each question's passages, side by side and of one moment: no document in two of its versions."""
        if len(questions) == 1:
            return [await self.retrieve(questions[0], scope, limit=limit)]
        for left in reversed(range(ATTEMPTS)):
            found = await asyncio.gather(*(self.retrieve(question, scope, limit=limit) for question in questions))
            ids = {hit.passage.id for one in found for hit in one.hits}
            current = await self._database.read(lookup, scope.organization_id, list(ids))
            if not left or len(current) == len(ids):
                return [replace(one, hits=tuple(h for h in one.hits if h.passage.id in current)) for one in found]
        raise IndexUnavailable

    def _embed_anew(self, organization_id: UUID, question: str) -> Vector:
        """Cached by organization, too: how quickly one is answered tells nothing of what another has asked."""
        vector = self._embedding.embed_query(question)
        vector.flags.writeable = False
        return vector

    async def _retrieval(self, candidates: Candidates, hits: Sequence[Hit], state: IndexState) -> Retrieval:
        if self._postprocessors:
            from pipelines.nodes import postprocess

            hits = await postprocess(tuple(hits), self._postprocessors, candidates.question.text)
        searched = state.documents if candidates.documents_searched is None else candidates.documents_searched
        return Retrieval(
            question=candidates.question, scope=candidates.scope, hits=tuple(hits), documents_searched=searched
        )

    async def _nothing(self, question: str, scope: Scope) -> Retrieval:
        vector = await asyncio.to_thread(self._embed, scope.organization_id, question)
        empty = Question(text=question, vector=vector, term_weights={})
        return Retrieval(question=empty, scope=scope, hits=(), documents_searched=0)

    async def _search(
        self, state: IndexState, question: str, scope: Scope, limit: int, vector: Vector | None
    ) -> Candidates:
        indexes = await self._indexes.current(state, in_memory=scope.is_filtered)
        found = await asyncio.to_thread(self._search_indexes, indexes, question, scope, limit, vector)
        if (missing := found.without_cosine()) and indexes.matrix is None:
            rows = await self._database.read(vectors, missing)
            found.cosines.update(zip(rows, cosines(stacked(rows), found.question.vector).tolist(), strict=True))
        return found

    def _search_indexes(
        self, indexes: OrganizationIndexes, text: str, scope: Scope, limit: int, vector: Vector | None
    ) -> Candidates:
        lexical, matrix = indexes.lexical, indexes.matrix
        terms = query_tokens(text, lexical.languages)
        vector = self._embed(scope.organization_id, text) if vector is None else vector
        question = Question(text=text, vector=vector, term_weights=lexical.weights(terms))
        rows = matrix.allowed(scope) if matrix and scope.is_filtered else None
        near = indexes.nearest(vector, limit, matrix, rows)
        bm25 = lexical.search(terms, scope, limit) if terms else {}
        if terms:
            bm25 |= lexical.scores(terms, [passage for passage in near if passage not in bm25])
        if matrix:
            near |= matrix.cosines([passage for passage in bm25 if passage not in near], vector)
        searched = matrix.count_documents(rows) if matrix and rows is not None else None
        return Candidates(question, scope, near, bm25, searched)

    def finder(self, scope: Scope) -> Callable[[str, Hit], float]:
        """Tells how well a question finds a hit's document by its words, best of all: no database, no wait."""
        indexes = self._indexes.newest(scope.organization_id)

        def finds(question: str, wanted: Hit) -> float:
            if indexes is None or not (terms := query_tokens(question, indexes.lexical.languages)):
                return 0.0
            best = indexes.lexical.search(terms, scope, 1)
            if not indexes.lexical.has_one_of(wanted.document_id, list(best)):
                return 0.0
            return max(best.values()) / (BM25_BOUND * sum(indexes.lexical.weights(terms).values()))

        return finds

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

    async def _look_up(self, candidates: Candidates, limit: int | None, least: int) -> LookedUp:
        """The best candidates as the database has them; all of them where the first did not suffice."""
        ranked = self._rank(candidates)
        first = limit or (PASSAGES_A_DOCUMENT * least) or len(ranked)
        found = await self._hits(ranked[:first], candidates.scope)
        if candidates.without_cosine():  # the database has dropped them since
            found = LookedUp(found.hits, is_complete=False)
        if len(found.hits) < min(first, len(ranked)) or len({hit.document_id for hit in found.hits}) < least:
            rest = await self._hits(ranked[first:], candidates.scope)
            found = LookedUp((*found.hits, *rest.hits), found.is_complete and rest.is_complete)
        return LookedUp(found.hits[:limit], found.is_complete)

    async def _hits(self, ranked: Sequence[Ranked], scope: Scope) -> LookedUp:
        found = await self._database.read(lookup, scope.organization_id, [one.id for one in ranked])
        # Asked of the database's own rows: an index may not have heard yet that a document has moved.
        hits = [
            to_hit(row, one.score, one.cosine, one.bm25)
            for one in ranked
            if (row := found.get(one.id)) and scope.allows(row.source, row.day)
        ]
        return LookedUp(tuple(hits), len(found) == len(ranked))

    async def _stands(self, state: IndexState) -> bool:
        """Whether nothing has changed since."""
        return await self._database.read(changes.state, state.organization_id) in (state, None)

    async def _was_replaced(self, state: IndexState) -> bool:
        """Whether the indexes that failed have meanwhile given way to a new generation."""
        now = await self._database.read(changes.state, state.organization_id)
        return now is None or now.generation != state.generation

    def _rank(self, candidates: Candidates) -> list[Ranked]:
        """Best first."""
        ids = list(candidates.cosines)
        if not ids:
            return []
        weights = candidates.question.term_weights
        cosine = np.array([candidates.cosines[i] for i in ids])
        bm25 = np.array([candidates.bm25.get(i, 0.0) for i in ids])
        known = np.count_nonzero(list(weights.values())) / max(1, len(weights))
        scores = self._fusion(cosine, bm25, known=float(known))
        order = np.argsort(-scores, kind="stable").tolist()
        rows = list(zip(ids, scores.tolist(), cosine.tolist(), bm25.tolist(), strict=True))
        return [Ranked(*rows[at]) for at in order]

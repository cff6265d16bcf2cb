"""One search in indexes that are there: candidates of both halves, scored by both, fused, looked up in the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipelines.following import OrganizationIndexes
from pipelines.fusion import Fusion
from pipelines.matrix import Matrix
from pipelines.similarity import cosines
from pipelines.store.database import BlockingRead
from pipelines.store.lookup import lookup, stacked, to_hit, vectors
from pipelines.text.tokens import query_tokens
from pipelines.types import Hit, Question, Scope, Vector

CANDIDATES = 50
"""Passages of each half."""
PASSAGES_A_DOCUMENT = 3


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked for: at most `limit` passages, enough of them for `least` documents."""

    question: str
    scope: Scope
    limit: int | None
    least: int

    @property
    def candidates(self) -> int:
        """Passages wanted of each half."""
        return max(CANDIDATES, PASSAGES_A_DOCUMENT * self.least)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the two indexes found: scores by passage id, each candidate scored by both, not yet looked up."""

    question: Question
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


def search_both(
    indexes: OrganizationIndexes,
    matrix: Matrix | None,
    search: Search,
    embedded: Callable[[], Vector],
    read: BlockingRead,
) -> Candidates:
    """Both halves under the scope; what needs no vector comes first, as it is being made meanwhile.

    Raises IndexUnavailable.
    """
    lexical, scope, limit = indexes.lexical, search.scope, search.candidates
    terms = query_tokens(search.question, lexical.languages)
    weights = lexical.weights(terms)
    rows = matrix.allowed(scope) if matrix and scope.is_filtered else None
    searched = matrix.count_documents(rows) if matrix and rows is not None else None
    bm25 = lexical.search(terms, scope, limit) if terms else {}
    question = Question(text=search.question, vector=embedded(), term_weights=weights)
    near = indexes.nearest(question.vector, limit, matrix, rows)
    if terms:
        bm25 |= lexical.scores(terms, [passage for passage in near if passage not in bm25])
    if matrix:
        near |= matrix.cosines([passage for passage in bm25 if passage not in near], question.vector)
    found = Candidates(question, near, bm25, searched)
    if matrix is None and (missing := found.without_cosine()) and (stored := read(vectors, missing)):
        near.update(zip(stored, cosines(stacked(stored), question.vector).tolist(), strict=True))
    return found


def look_up(candidates: Candidates, fusion: Fusion, search: Search, read: BlockingRead) -> LookedUp:
    """The best candidates as the database has them; all of them where the first did not suffice."""
    ranked = _rank(candidates, fusion)
    first = search.limit or (PASSAGES_A_DOCUMENT * search.least) or len(ranked)
    found = _hits(ranked[:first], search.scope, read)
    if candidates.without_cosine():  # the database has dropped them since
        found = LookedUp(found.hits, is_complete=False)
    if len(found.hits) < min(first, len(ranked)) or len({hit.document_id for hit in found.hits}) < search.least:
        rest = _hits(ranked[first:], search.scope, read)
        found = LookedUp((*found.hits, *rest.hits), found.is_complete and rest.is_complete)
    return LookedUp(found.hits[: search.limit], found.is_complete)


def _rank(candidates: Candidates, fusion: Fusion) -> list[Ranked]:
    """Best first."""
    if not candidates.cosines:
        return []
    weights = candidates.question.term_weights
    known = sum(map(bool, weights.values())) / max(1, len(weights))
    cosine = list(candidates.cosines.values())
    bm25 = [candidates.bm25.get(i, 0.0) for i in candidates.cosines]
    scores = fusion(np.array(cosine), np.array(bm25), known=known).tolist()
    # Sorting is stable: equal ones keep their order.
    best_first = sorted(zip(candidates.cosines, scores, cosine, bm25, strict=True), key=lambda one: -one[1])
    return [Ranked(*one) for one in best_first]


def _hits(ranked: Sequence[Ranked], scope: Scope, read: BlockingRead) -> LookedUp:
    found = read(lookup, scope.organization_id, [one.id for one in ranked])
    # Asked of the database's own rows: an index may not have heard yet that a document has moved.
    hits = [
        to_hit(row, one.score, one.cosine, one.bm25)
        for one in ranked
        if (row := found.get(one.id)) and scope.allows(row.source, row.day)
    ]
    return LookedUp(tuple(hits), len(found) == len(ranked))

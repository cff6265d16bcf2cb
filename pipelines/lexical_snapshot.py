"""LlamaIndex's BM25Retriever as the other lexical engine: for frozen collections, and for tuning k1 and b."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import bm25s
import numpy as np
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever
from numpy.typing import NDArray

from pipelines.lexical import inverse_document_frequency, passage_tokens
from pipelines.store.changes import IndexedPassage, Step
from pipelines.types import Scope


class SnapshotIndex:
    """A `LexicalIndex` in memory that is built anew, whole, by the first search behind a change.

    Building takes a second for a few thousand passages: not for a service that is written to.
    """

    def __init__(self, *, k1: float = 1.5, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        self._position = 0
        self._passages: dict[int, IndexedPassage] = {}
        self._tokens: dict[int, list[str]] = {}
        self._retriever: BM25Retriever | None = None

    @property
    def languages(self) -> frozenset[str]:
        return frozenset(passage.language for passage in self._passages.values())

    def position(self) -> int:
        return self._position

    def refresh(self) -> None:
        """Nobody else writes to it."""

    def apply(self, step: Step) -> None:
        if self._position != step.after:
            return
        stale = set(step.stale)
        self._passages = {i: passage for i, passage in self._passages.items() if passage.document_id not in stale}
        self._passages |= {passage.id: passage for passage in step.passages}
        new = {passage.id: passage_tokens(passage) for passage in step.passages}
        self._tokens = {i: tokens for i, tokens in self._tokens.items() if i in self._passages} | new
        self._position, self._retriever = step.number, None

    def ids(self) -> set[int]:
        return set(self._passages)

    def search(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        scores = self._all_scores(terms)
        allowed = [
            at for at, passage in enumerate(self._passages.values()) if scope.allows(passage.source, passage.day)
        ]
        # A masked-out passage gets score 0 from BM25Retriever, not no score: what has none of the terms is no hit.
        best = sorted((at for at in allowed if scores[at] > 0), key=lambda at: -scores[at])[:limit]
        ids = list(self._passages)
        return {ids[at]: float(scores[at]) for at in best}

    def scores(self, terms: Sequence[str], ids: Sequence[int]) -> dict[int, float]:
        every = dict(zip(self._passages, self._all_scores(terms).tolist(), strict=True))
        return {i: every[i] for i in ids if every.get(i, 0.0) > 0}

    def has_one_of(self, document_id: UUID, ids: Sequence[int]) -> bool:
        return any(self._passages[i].document_id == document_id for i in ids if i in self._passages)

    def _all_scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        known = [term for term in terms if any(term in tokens for tokens in self._tokens.values())]
        if not known:
            return np.zeros(len(self._passages), np.float32)
        if self._retriever is None:
            self._retriever = self._build()
        return np.asarray(self._retriever.bm25.get_scores(known))

    def _build(self) -> BM25Retriever:
        tokens = [self._tokens[i] or [""] for i in self._passages]
        engine = bm25s.BM25(k1=self._k1, b=self._b)
        engine.index(tokens, show_progress=False)
        engine.corpus = [TextNode(id_=str(i), text=" ".join(self._tokens[i])).to_dict() for i in self._passages]
        return BM25Retriever(existing_bm25=engine, similarity_top_k=min(10, len(tokens)), skip_stemming=True)

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        total = len(self._passages)
        held = [set(tokens) for tokens in self._tokens.values()]
        return {term: inverse_document_frequency(total, sum(term in tokens for tokens in held)) for term in terms}

    def close(self) -> None:
        self._retriever = None

"""Fusion of the two halves of a search: pure functions over scores of the same candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Fusion(Protocol):
    """Turns cosines and BM25 scores of the same candidates, each shape (n,), into one score 0..1 each."""

    def __call__(self, cosine: Scores, bm25: Scores, *, known: float) -> Scores:
        """`known` is the share, 0..1, of the question's search terms that the lexical index knows."""
        ...


@dataclass(frozen=True, slots=True)
class ConvexCombination:
    """Weighted sum of min-max normalised scores (Bruch, Gai, Ingber 2023, "An Analysis of Fusion Functions").

    BM25 counts for less as far as the index does not know the question's words, as across languages.
    """

    lexical_weight: float = 0.5

    def __call__(self, cosine: Scores, bm25: Scores, *, known: float) -> Scores:
        weight = self.lexical_weight * known
        return (1 - weight) * min_max(cosine) + weight * min_max(bm25)


@dataclass(frozen=True, slots=True)
class ReciprocalRankFusion:
    """Weighted sum of 1 / (k + rank) (Cormack, Clarke, Büttcher 2009), scaled so that two first ranks make 1."""

    k: int = 60
    lexical_weight: float = 0.5

    def __call__(self, cosine: Scores, bm25: Scores, *, known: float) -> Scores:
        vectors, lexical = 1 / (self.k + ranks(cosine)), 1 / (self.k + ranks(bm25))
        fused = (1 - self.lexical_weight) * vectors + self.lexical_weight * np.where(bm25 > 0, lexical, 0.0)
        return fused * (self.k + 1)


def min_max(scores: Scores) -> Scores:
    """Scaled to 0..1; equal scores all become 0, as they tell nothing apart."""
    if not scores.size:
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def ranks(scores: Scores) -> Scores:
    """1 for the highest; equal scores keep their order."""
    order = np.argsort(-scores, kind="stable")
    out = np.empty(len(scores))
    out[order] = np.arange(1, len(scores) + 1)
    return out

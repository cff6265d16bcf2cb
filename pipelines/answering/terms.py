"""A question's words in one language, and how much of them a text covers."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipelines.text.tokens import index_tokens
from pipelines.types import Question


@dataclass(frozen=True)
class Terms:
    """Search tokens in order, and their weights; one that the index does not know weighs as much as the rarest."""

    sequence: tuple[str, ...]
    weights: Mapping[str, float]
    unknown: frozenset[str]

    @classmethod
    def of(cls, question: Question, language: str) -> Terms:
        sequence = tuple(index_tokens(question.text, language))
        known = {token: question.term_weights.get(token, 0.0) for token in sequence}
        rarest = max(question.term_weights.values(), default=0.0) or 1.0
        weights = {token: weight or rarest for token, weight in known.items()}
        return cls(sequence, weights, frozenset(token for token, weight in known.items() if not weight))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(self.sequence))

    @cached_property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0

    def share(self, tokens: Set[str]) -> float:
        """How much of the question, by weight, these tokens cover, 0..1."""
        return sum([weight for token, weight in self.weights.items() if token in tokens]) / self.total

"""A question's words in one language, and how much of them a text covers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipelines.text.tokens import index_tokens
from pipelines.types import Question

INTERROGATIVE = re.compile(
    r"\bhow (?:many|much|long|often|far|old|big|large|tall|high|fast|quickly|soon|early|late|heavy|deep|come|about)\b"
    r"|\bwh(?:at|ich) (?:kinds?|sorts?|types?|happens|happened)\b|\bwhat(?:['’]s| is| was| are) the names?\b"
    r"|\bwie ?(?:viele?|lange|oft|hoch|weit|gro(?:ß|ss)|alt|schnell)\b|\b(?:combien|cuánt[oa]s?)\b",
    re.IGNORECASE,
)
"""Words that ask, and that an answer does not repeat."""
GRAMMAR = re.compile("[\u3040-\u309f]+")
"""Japanese written in hiragana alone is inflection and particles."""


@dataclass(frozen=True)
class Terms:
    """Search tokens in order, and their weights; one that the index does not know weighs as much as the rarest."""

    sequence: tuple[str, ...]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, question: Question, language: str) -> Terms:
        topic = INTERROGATIVE.sub(" ", question.text)
        sequence = tuple(token for token in index_tokens(topic, language) if token in question.term_weights)
        known = {token: question.term_weights[token] for token in sequence if not GRAMMAR.fullmatch(token)}
        rarest = max(question.term_weights.values(), default=0.0) or 1.0
        return cls(sequence, {token: weight or rarest for token, weight in known.items()})

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(self.weights)

    @cached_property
    def pairs(self) -> frozenset[str]:
        """What follows one another, as " first second "."""
        return frozenset(f" {first} {second} " for first, second in pairwise(self.sequence))

    @cached_property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0

    def share(self, tokens: Set[str]) -> float:
        """How much of the question, by weight, these tokens cover, 0..1."""
        if not tokens:
            return 0.0
        return sum([weight for token, weight in self.weights.items() if token in tokens]) / self.total

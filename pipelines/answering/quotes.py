"""Units as they would be quoted, each with the other passages that say the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.answering.passages import Unit, jaccard
from pipelines.answering.tidy import tidy
from pipelines.answering.units import count_words
from pipelines.types import Hit

SAME = 0.7
"""Jaccard similarity of two units' tokens from which they say the same, but for numbers."""
NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Quote:
    """A unit that may be chosen, with its probability of holding the answer; `witnesses` say the same elsewhere."""

    unit: Unit
    text: str
    words: int
    probability: float
    witnesses: list[Hit] = field(default_factory=list)

    @property
    def hit(self) -> Hit:
        return self.unit.passage.hit

    @property
    def passage_id(self) -> int:
        return self.hit.passage.id

    def repeats(self, unit: Unit) -> bool:
        return jaccard(self.unit.piece.tokens, unit.piece.tokens) >= SAME

    def merge(self, unit: Unit) -> None:
        """Takes a unit that repeats this one for a witness; where numbers differ, the later document is right."""
        hit = unit.passage.hit
        if hit.document_id == self.hit.document_id:
            return
        if numbers(unit.text) == numbers(self.unit.text):
            self.witnesses.append(hit)
        elif hit.day > self.hit.day and unit.passage.coverage >= self.unit.passage.coverage:
            self.unit, self.text, self.witnesses = unit, tidy(unit.text), []
            self.words = count_words(self.text)


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))

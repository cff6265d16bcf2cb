"""Earlier versions of documents among what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from uuid import UUID

from pipelines.answering.passages import ReadPassage, jaccard, token_set

SAME_TITLE = 0.6
"""Jaccard similarity of two versions' titles, numbers aside."""
SAME_CONTENT = 0.45
"""Share of the shorter one's tokens that two versions have in common."""


@dataclass(frozen=True, slots=True)
class Version:
    """What was found of one document."""

    document_id: UUID
    day: date
    title: frozenset[str]
    asked_numbers: frozenset[str]
    """Those of the title that the question names: a year, a version."""
    tokens: frozenset[str]
    coverage: float

    @classmethod
    def of(cls, passages: Sequence[ReadPassage]) -> Version:
        first = passages[0]
        title = token_set(first.hit.title, first.language)
        words = frozenset(filter(_is_word, title))
        return cls(
            first.hit.document_id,
            first.hit.day,
            words,
            (title - words) & first.terms.weights.keys(),
            frozenset[str]().union(*(passage.tokens for passage in passages)),
            max(passage.coverage for passage in passages),
        )

    def supersedes(self, other: Version) -> bool:
        """Says the same under the same title on a later day, and the question does not name the other's number."""
        return (
            self.day > other.day
            and other.asked_numbers <= self.asked_numbers
            and self.coverage >= other.coverage
            and jaccard(self.title, other.title) >= SAME_TITLE
            and len(self.tokens & other.tokens) >= SAME_CONTENT * min(len(self.tokens), len(other.tokens))
        )


def superseded(passages: Iterable[ReadPassage]) -> frozenset[UUID]:
    """The documents of which a later version was found too."""
    documents: dict[UUID, list[ReadPassage]] = {}
    for passage in passages:
        documents.setdefault(passage.hit.document_id, []).append(passage)
    versions = [Version.of(found) for found in documents.values()]
    return frozenset(older.document_id for newer, older in permutations(versions, 2) if newer.supersedes(older))


def _is_word(token: str) -> bool:
    return not any(map(str.isdigit, token))

"""Earlier versions of documents among what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from uuid import UUID

from pipelines.answering.cues import has_digit
from pipelines.answering.passages import ReadPassage, jaccard, token_set
from pipelines.answering.terms import Terms
from pipelines.types import Hit

SAME_TITLE = 0.6
"""Jaccard similarity of two versions' titles, numbers aside."""
SAME_CONTENT = 0.45
"""Share of the shorter one's tokens that two versions have in common."""


@dataclass(frozen=True, slots=True)
class Version:
    """What was found of one document; `asked_numbers` of its title (a year, an edition) are in the question too."""

    asked_numbers: frozenset[str]
    tokens: frozenset[str]
    coverage: float

    @classmethod
    def of(cls, hits: Sequence[Hit], terms: Mapping[str, Terms]) -> Version:
        language = hits[0].passage.language
        passages = [ReadPassage.of(hit, terms[hit.passage.language]) for hit in hits]
        return cls(
            frozenset(filter(has_digit, token_set(hits[0].title, language))) & terms[language].weights.keys(),
            frozenset[str]().union(*(passage.tokens for passage in passages)),
            max(passage.coverage for passage in passages),
        )

    def supersedes(self, other: Version) -> bool:
        """Says the same, answers as well, and the question does not ask for the other by its number."""
        return (
            other.asked_numbers <= self.asked_numbers
            and self.coverage >= other.coverage
            and len(self.tokens & other.tokens) >= SAME_CONTENT * min(len(self.tokens), len(other.tokens))
        )


def superseded(hits: Sequence[Hit], terms: Mapping[str, Terms]) -> frozenset[UUID]:
    """The documents of which a later version was found too; `terms` are by language."""
    documents: dict[UUID, list[Hit]] = {}
    for hit in hits:
        documents.setdefault(hit.document_id, []).append(hit)
    titles = {document: _words(found[0]) for document, found in documents.items()}
    return frozenset(
        older
        for newer, older in permutations(documents, 2)
        if documents[newer][0].day > documents[older][0].day
        and jaccard(titles[newer], titles[older]) >= SAME_TITLE
        and Version.of(documents[newer], terms).supersedes(Version.of(documents[older], terms))
    )


def _words(hit: Hit) -> frozenset[str]:
    """Of the title, without numbers."""
    title = token_set(hit.title, hit.passage.language)
    return frozenset(token for token in title if not has_digit(token))

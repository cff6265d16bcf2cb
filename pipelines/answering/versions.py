"""Earlier versions of documents among what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from uuid import UUID

from pipelines.answering.cues import has_digit
from pipelines.answering.passages import ReadPassage, jaccard
from pipelines.answering.pieces import token_set
from pipelines.answering.terms import Terms
from pipelines.types import Hit

SAME_TITLE = 0.6
"""Jaccard similarity of two versions' titles, numbers aside."""
SAME_CONTENT = 0.45
"""Share of the shorter one's tokens that two versions have in common."""
SERIES = 4
"""So many documents of one title, numbers aside, follow one another (minutes, logs) and do not replace each other."""
DAY = 8
"""Digits of a day: what is called by one tells what happened then, and stays true."""


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


@dataclass(frozen=True, slots=True)
class Title:
    """A title's tokens, and those of them that are no numbers."""

    tokens: frozenset[str]
    words: frozenset[str]
    names_a_day: bool

    def is_like(self, other: Title) -> bool:
        return jaccard(self.words, other.words) >= SAME_TITLE

    def may_follow(self, other: Title) -> bool:
        """A later title that only adds words ("… : frequent questions") is of a document about the other one."""
        if self.names_a_day or not self.is_like(other):
            return False
        return not self.tokens > other.tokens or any(map(has_digit, self.tokens - other.tokens))


def superseded(hits: Sequence[Hit], terms: Mapping[str, Terms]) -> frozenset[UUID]:
    """The documents of which a later version was found too; `terms` are by language."""
    documents: dict[UUID, list[Hit]] = {}
    for hit in hits:
        documents.setdefault(hit.document_id, []).append(hit)
    return frozenset(
        older
        for newer, older in _pairs({document: found[0] for document, found in documents.items()})
        if Version.of(documents[newer], terms).supersedes(Version.of(documents[older], terms))
    )


def _pairs(documents: Mapping[UUID, Hit]) -> Iterator[tuple[UUID, UUID]]:
    """A later and an earlier document each that may be versions of one, by their titles."""
    titles = {document: _title(hit.title, hit.passage.language) for document, hit in documents.items()}
    for newer, older in permutations(documents, 2):
        later = documents[newer].day > documents[older].day
        if later and titles[newer].may_follow(titles[older]) and not _is_series(titles[older], titles.values()):
            yield newer, older


def _is_series(title: Title, found: Iterable[Title]) -> bool:
    return sum(map(title.is_like, found)) >= SERIES


@lru_cache(maxsize=1024)
def _title(text: str, language: str) -> Title:
    tokens = token_set(text, language)
    words = frozenset(token for token in tokens if not has_digit(token))
    return Title(tokens, words, any(sum(map(str.isdigit, token)) >= DAY for token in tokens))

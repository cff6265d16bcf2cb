"""A passage that is read: its pieces, and the question in its language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pipelines.answering.pieces import Piece, pieces, token_set
from pipelines.answering.terms import Terms
from pipelines.types import Hit


@dataclass(frozen=True)
class ReadPassage:
    """A passage with its pieces, its heading's tokens, and the question in its language."""

    hit: Hit
    pieces: tuple[Piece, ...]
    heading: frozenset[str]
    terms: Terms

    @classmethod
    def of(cls, hit: Hit, terms: Terms) -> ReadPassage:
        passage = hit.passage
        heading = token_set(passage.context, passage.language)
        return cls(hit, pieces(passage), heading, terms)

    @property
    def language(self) -> str:
        return self.hit.passage.language

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset[str]().union(*(piece.tokens | piece.above for piece in self.pieces))

    @cached_property
    def coverage(self) -> float:
        """How much of the question the passage with its heading covers, 0..1."""
        return self.terms.share(self.tokens | self.heading)


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece in its place."""

    passage: ReadPassage
    piece: Piece
    before: Piece | None
    """The piece before it in the same passage: what "it" and "this" speak of."""

    @property
    def text(self) -> str:
        return self.passage.hit.passage.text[self.piece.start : self.piece.end]


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of what both have in what either has, 0..1 (Jaccard 1901)."""
    common = len(one & other)
    return common / max(1, len(one) + len(other) - common)

"""A passage taken apart: its quotable pieces and their search tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from pipelines.answering.terms import Terms
from pipelines.answering.units import Quotable, label, units
from pipelines.text.tokens import index_tokens
from pipelines.types import Hit


@dataclass(frozen=True, slots=True)
class Piece:
    """A quotable piece, whatever is asked; `above` are the tokens of the heading over it in the passage."""

    start: int
    end: int
    tokens: frozenset[str]
    above: frozenset[str]
    pairs: frozenset[tuple[str, str]]


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
        return cls(hit, pieces(passage.text, passage.language), heading, terms)

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


@lru_cache(maxsize=4096)
def pieces(text: str, language: str) -> tuple[Piece, ...]:
    """A passage's text taken apart; passages that are often found are taken apart once."""
    return tuple(_piece(text, unit, language) for unit in units(text))


@lru_cache(maxsize=4096)
def token_set(text: str, language: str) -> frozenset[str]:
    """The search tokens of a short text that is seen often: a heading, a title."""
    return frozenset(index_tokens(text, language))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of what both have in what either has, 0..1 (Jaccard 1901)."""
    common = len(one & other)
    return common / max(1, len(one) + len(other) - common)


def _piece(text: str, unit: Quotable, language: str) -> Piece:
    sequence = index_tokens(text[unit.start : unit.end], language)
    labelled = index_tokens(label(text, unit.start), language)
    tokens = frozenset(sequence).union(labelled)
    return Piece(unit.start, unit.end, tokens, token_set(unit.above, language), frozenset(pairwise(sequence)))

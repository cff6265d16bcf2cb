"""A passage taken apart into what may be quoted, with its search tokens: when its document comes in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import NamedTuple, Self

import orjson

from pipelines.answering.units import label, units
from pipelines.text.tokens import index_tokens
from pipelines.types import Passage

RECIPE = 1
"""To be raised with whatever changes pieces or their tokens: what another recipe has packed is made anew."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A quotable piece, whatever is asked; `above` are the tokens of the heading over it in the passage."""

    start: int
    end: int
    sequence: str
    """Its own tokens in order, a blank before and behind each."""
    tokens: frozenset[str]
    """These and those of its line's label."""
    above: frozenset[str]

    @classmethod
    def of(cls, apart: Apart) -> Self:
        start, end, sequence, label, above = apart
        return cls(start, end, f" {sequence} ", _tokens(f"{sequence} {label}"), _tokens(above))

    def count(self, pairs: Iterable[str]) -> int:
        """How many of these tokens that follow one another (" first second ") do so in it."""
        return sum([pair in self.sequence for pair in pairs])


class Apart(NamedTuple):
    """A piece as it is kept: its own tokens in order, those of the label of its line, and those above it, by blanks."""

    start: int
    end: int
    sequence: str
    label: str
    above: str


def take_apart(text: str, language: str) -> list[Apart]:
    def tokens(part: str) -> str:
        return " ".join(index_tokens(part, language))

    return [
        Apart(
            unit.start,
            unit.end,
            tokens(text[unit.start : unit.end]),
            tokens(label(text, unit.start)),
            tokens(unit.above),
        )
        for unit in units(text)
    ]


def pack(pieces: Iterable[Apart]) -> bytes:
    return orjson.dumps([RECIPE, list(map(tuple, pieces))])


def unpack(stored: bytes | None) -> list[Apart] | None:
    """None for what was not packed, or by another recipe."""
    recipe, rows = orjson.loads(stored) if stored else (None, [])
    return list(map(Apart._make, rows)) if recipe == RECIPE else None


def pieces(passage: Passage) -> tuple[Piece, ...]:
    return _pieces(passage.text, passage.language, passage.pieces)


@lru_cache(maxsize=4096)
def _pieces(text: str, language: str, stored: bytes | None) -> tuple[Piece, ...]:
    """Passages that are often found are made ready once."""
    apart = unpack(stored)
    return tuple(map(Piece.of, take_apart(text, language) if apart is None else apart))


@lru_cache(maxsize=4096)
def token_set(text: str, language: str) -> frozenset[str]:
    """The search tokens of a short text that is seen often: a heading, a title."""
    return frozenset(index_tokens(text, language))


def _tokens(joined: str) -> frozenset[str]:
    """Each word once in memory, however many passages have it."""
    return frozenset(map(intern, joined.split()))

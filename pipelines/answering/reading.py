"""A retrieval read closely, once: answering, the decision to answer, and confidence all judge by this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from pipelines.answering.question_types import QuestionType, question_type
from pipelines.answering.terms import Terms
from pipelines.answering.units import Quotable, label, units
from pipelines.text.tokens import index_tokens
from pipelines.types import Hit, Retrieval

PASSAGES = 5
CONSIDERED = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """What of a unit does not depend on the question; `above` are the tokens of the heading above it in the passage."""

    start: int
    end: int
    tokens: frozenset[str]
    above: frozenset[str]
    pairs: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class ReadPassage:
    """A passage with its pieces, its own and its heading's tokens, and the question in its language."""

    hit: Hit
    pieces: tuple[Piece, ...]
    heading: frozenset[str]
    terms: Terms

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset().union(*(piece.tokens | piece.above for piece in self.pieces))

    @cached_property
    def coverage(self) -> float:
        """How much of the question the passage with its heading covers, 0..1."""
        return self.terms.share(self.tokens | self.heading)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage that may be quoted."""

    passage: ReadPassage
    piece: Piece
    before: Piece | None
    """The piece before it in the same passage: what "it" and "this" speak of."""

    @property
    def text(self) -> str:
        return self.passage.hit.passage.text[self.piece.start : self.piece.end]

    @property
    def heading(self) -> frozenset[str]:
        return self.passage.heading | self.piece.above

    @property
    def language(self) -> str:
        return self.passage.hit.passage.language


@dataclass(frozen=True)
class Reading:
    """The passages in order of their evidence, superseded ones left out, and everything in them that may be quoted."""

    retrieval: Retrieval
    passages: tuple[ReadPassage, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        return tuple(unit for passage in self.passages for unit in _units(passage))

    @cached_property
    def terms(self) -> dict[str, Terms]:
        """The question in each language of the passages."""
        return {passage.hit.passage.language: passage.terms for passage in self.passages}

    @cached_property
    def kind(self) -> QuestionType | None:
        return question_type(self.retrieval.question.text)


def read(retrieval: Retrieval) -> Reading:
    """The best passages of a retrieval, taken apart."""
    hits = retrieval.hits[:CONSIDERED]
    terms = {language: Terms.of(retrieval.question, language) for language in {hit.passage.language for hit in hits}}
    passages = [_read_passage(hit, terms[hit.passage.language]) for hit in hits]
    outdated = superseded(passages)
    current = [passage for passage in passages if passage.hit.document_id not in outdated]
    return Reading(retrieval, tuple(current[:PASSAGES]))


def _read_passage(hit: Hit, terms: Terms) -> ReadPassage:
    passage = hit.passage
    return ReadPassage(hit, pieces(passage.text, passage.language), _tokens(passage.context, passage.language), terms)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _units(passage: ReadPassage) -> Iterable[Unit]:
    before: Sequence[Piece | None] = (None, *passage.pieces)
    return (Unit(passage, piece, last) for last, piece in zip(before, passage.pieces, strict=False))


@lru_cache(maxsize=512)
def pieces(text: str, language: str) -> tuple[Piece, ...]:
    """A passage's text taken apart; passages that are often found are taken apart once."""
    return tuple(_piece(text, unit, language) for unit in units(text))


def _piece(text: str, unit: Quotable, language: str) -> Piece:
    sequence = index_tokens(text[unit.start : unit.end], language)
    labelled = index_tokens(label(text, unit.start), language)
    tokens = frozenset(sequence).union(labelled)
    return Piece(unit.start, unit.end, tokens, _tokens(unit.above, language), frozenset(pairwise(sequence)))


@lru_cache(maxsize=512)
def _tokens(text: str, language: str) -> frozenset[str]:
    return frozenset(index_tokens(text, language))

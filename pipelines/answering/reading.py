"""A retrieval read closely, once: answering, the decision to answer, and confidence all judge by this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipelines.answering.passages import Piece, ReadPassage, Unit
from pipelines.answering.question_types import QuestionType, question_type
from pipelines.answering.terms import Terms
from pipelines.answering.versions import superseded
from pipelines.types import Retrieval

CONSIDERED = 10
PASSAGES = 5


@dataclass(frozen=True)
class Reading:
    """The best passages in order, earlier versions of documents left out, and everything in them that may be quoted."""

    retrieval: Retrieval
    passages: tuple[ReadPassage, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        return tuple(unit for passage in self.passages for unit in _units(passage))

    @cached_property
    def terms(self) -> dict[str, Terms]:
        """The question in each language of the passages."""
        return {passage.language: passage.terms for passage in self.passages}

    @cached_property
    def kind(self) -> QuestionType | None:
        return question_type(self.retrieval.question.text)


def read(retrieval: Retrieval) -> Reading:
    """The best passages of a retrieval, taken apart."""
    hits = retrieval.hits[:CONSIDERED]
    terms = {language: Terms.of(retrieval.question, language) for language in {hit.passage.language for hit in hits}}
    passages = [ReadPassage.of(hit, terms[hit.passage.language]) for hit in hits]
    outdated = superseded(passages)
    current = [passage for passage in passages if passage.hit.document_id not in outdated]
    return Reading(retrieval, tuple(current[:PASSAGES]))


def _units(passage: ReadPassage) -> Iterable[Unit]:
    before: Sequence[Piece | None] = (None, *passage.pieces)
    return (Unit(passage, piece, last) for last, piece in zip(before, passage.pieces, strict=False))

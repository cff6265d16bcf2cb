"""A retrieval read closely, once: answering, the decision to answer, and confidence all judge by this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.passages import ReadPassage, Unit
from pipelines.answering.pieces import Piece
from pipelines.answering.question_types import QuestionType, question_type
from pipelines.answering.scoring import odds
from pipelines.answering.terms import Terms
from pipelines.answering.versions import superseded
from pipelines.text.languages import detect_language, is_too_short
from pipelines.types import Retrieval

CONSIDERED = 10
PASSAGES = 5
SHARPNESS = 12.0
"""Log-odds of a document's being a right one by the score of its best passage; fitted, each set of questions alike."""


@dataclass(frozen=True)
class Reading:
    """The best passages in order, earlier versions of documents left out, and everything in them that may be quoted."""

    retrieval: Retrieval
    passages: tuple[ReadPassage, ...]
    outdated: frozenset[UUID]
    """Documents of which a later version was found."""

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        return tuple(unit for passage in self.passages for unit in _units(passage))

    @cached_property
    def terms(self) -> dict[str, Terms]:
        """The question in each language of the passages."""
        return {passage.language: passage.terms for passage in self.passages}

    @cached_property
    def language(self) -> str:
        """Of the question; of what was found first where the question is too short to tell."""
        question = self.retrieval.question.text
        return self.passages[0].language if is_too_short(question) and self.passages else detect_language(question)

    @cached_property
    def kind(self) -> QuestionType | None:
        return question_type(self.retrieval.question.text)

    @cached_property
    def odds(self) -> NDArray[np.float64]:
        """Each unit's log-odds of holding the answer."""
        return odds(self.units, self.terms, self.kind)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Each unit's probability of holding the answer, given that one does; they add up to 1."""
        likelihood = np.exp(self.odds - self.odds.max(initial=-np.inf))
        return np.asarray(likelihood / likelihood.sum(), np.float64)

    @cached_property
    def documents(self) -> dict[UUID, float]:
        """Each document's probability of being a right one, given that one is."""
        best: dict[UUID, float] = {}
        for passage in self.passages:
            hit = passage.hit
            best[hit.document_id] = max(best.get(hit.document_id, 0.0), exp(SHARPNESS * hit.score))
        total = sum(best.values())
        return {document: likelihood / total for document, likelihood in best.items()}

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """Places of the units, the likeliest first."""
        return tuple(np.argsort(-self.odds, kind="stable").tolist())


def read(retrieval: Retrieval) -> Reading:
    """The best passages of a retrieval, taken apart."""
    hits = retrieval.hits[:CONSIDERED]
    terms = {language: Terms.of(retrieval.question, language) for language in {hit.passage.language for hit in hits}}
    outdated = superseded(hits, terms)
    current = [hit for hit in hits if hit.document_id not in outdated][:PASSAGES]
    return Reading(retrieval, tuple(ReadPassage.of(hit, terms[hit.passage.language]) for hit in current), outdated)


def _units(passage: ReadPassage) -> Iterable[Unit]:
    before: Sequence[Piece | None] = (None, *passage.pieces)
    return (Unit(passage, piece, last) for last, piece in zip(before, passage.pieces, strict=False))

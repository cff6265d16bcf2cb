"""How likely each unit of what was found holds the answer: a log-linear model over eight features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log1p

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.passages import Unit
from pipelines.answering.question_types import QuestionType
from pipelines.answering.terms import Terms

NOVEL = 8.0
"""Tokens that a unit adds to the question's; with so many it says enough to be an answer."""

WEIGHTS = {
    "overlap": 2.4,
    "overlap_before": 0.7,
    "overlap_heading": 1.6,
    "overlap_rare": 2.1,
    "pairs": 0.8,
    "passage": 3.4,
    "expected": 1.3,
    "novelty": 0.8,
}
"""Fitted as a choice among the units of a question (softmax), each of five sets of questions counting the same."""


def odds(units: Sequence[Unit], terms: Mapping[str, Terms], kind: QuestionType | None) -> NDArray[np.float64]:
    """Each unit's log-odds of holding the answer, comparable within a question; `terms` are by language."""
    weights = np.array(list(WEIGHTS.values()), np.float64)
    return np.asarray(features(units, terms, kind) @ weights, np.float64)


def features(units: Sequence[Unit], terms: Mapping[str, Terms], kind: QuestionType | None) -> NDArray[np.float64]:
    """Shape (units, features), features in the order of `WEIGHTS`."""
    rarer = {language: _by_rarity(one, units) for language, one in terms.items()}
    rows = [_row(unit, rarer[unit.passage.language], kind) for unit in units]
    return np.array(rows, np.float64).reshape(len(rows), len(WEIGHTS))


def _by_rarity(terms: Terms, units: Sequence[Unit]) -> Terms:
    """The terms weighted anew: a word that all the units have tells nothing about which one to choose."""
    counts = {token: sum([token in unit.piece.tokens for unit in units]) for token in terms.weights}
    weights = {token: weight * log1p(len(units) / (1 + counts[token])) for token, weight in terms.weights.items()}
    return replace(terms, weights=weights)


def _row(unit: Unit, rarer: Terms, kind: QuestionType | None) -> list[float]:
    terms, tokens, before = unit.passage.terms, unit.piece.tokens, unit.before
    said = terms.tokens & tokens
    above = (terms.tokens & unit.passage.heading) | (terms.tokens & unit.piece.above)
    return [
        terms.share(said),
        terms.share((terms.tokens & before.tokens) - said - above) if before else 0.0,
        terms.share(above - said),
        rarer.share(said),
        unit.piece.count(terms.pairs) / max(1, len(terms.pairs)),
        unit.passage.hit.score,
        float(kind is not None and kind.answered.search(unit.text) is not None),
        min(1.0, (len(tokens) - len(said)) / NOVEL),
    ]

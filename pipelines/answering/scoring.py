"""How likely each unit of a reading holds the answer: a log-linear model over eight features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log1p

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.passages import Unit
from pipelines.answering.reading import Reading
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
"""Log-odds by feature."""


def features(reading: Reading) -> NDArray[np.float64]:
    """Of each unit in order, shape (units, features), features as in `WEIGHTS`."""
    rarer = {language: _by_rarity(terms, reading.units) for language, terms in reading.terms.items()}
    rows = [_row(unit, reading, rarer[unit.passage.language]) for unit in reading.units]
    return np.array(rows, np.float64).reshape(len(rows), len(WEIGHTS))


def probabilities(reading: Reading) -> NDArray[np.float64]:
    """Of each unit to hold the answer, given that one does; they add up to 1."""
    odds = features(reading) @ np.array(list(WEIGHTS.values()))
    likelihood = np.exp(odds - odds.max(initial=-np.inf))
    return np.asarray(likelihood / likelihood.sum())


def _by_rarity(terms: Terms, units: Sequence[Unit]) -> Terms:
    """The terms weighted anew: a word that all the units have tells nothing about which one to choose."""
    counts = {token: sum(token in unit.piece.tokens for unit in units) for token in terms.weights}
    weights = {token: weight * log1p(len(units) / (1 + counts[token])) for token, weight in terms.weights.items()}
    return replace(terms, weights=weights)


def _row(unit: Unit, reading: Reading, rarer: Terms) -> list[float]:
    terms, tokens, heading = unit.passage.terms, unit.piece.tokens, unit.heading
    expected = reading.kind.answered if reading.kind else None
    return [
        terms.share(tokens),
        terms.share(unit.before.tokens - tokens - heading) if unit.before else 0.0,
        terms.share(heading - tokens),
        rarer.share(tokens),
        len(unit.piece.pairs & terms.pairs) / max(1, len(terms.pairs)),
        unit.passage.hit.score,
        float(expected is not None and expected.search(unit.text) is not None),
        min(1.0, len(tokens - terms.weights.keys()) / NOVEL),
    ]

"""Whether confidence still means what it says in each organization: a suite is asked of an organization of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from eval.measures import Array, columns_of, given
from eval.metrics import BINS
from eval.records import Record, Run

SURE = 1.96
SHIFTED = 0.25
"""Population stability index from which a distribution is another one (Siddiqi 2006); below .1 it is the same."""
FEWEST = 30
"""Confidences, below which ten bins hold chance alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Of one organization. `gap` is the mean confidence of answers given less the share of right ones, `chance` what
    of it chance explains 95 times in a hundred, were each confidence exact; NaN where no gold answers tell.

    `shift` is the population stability index of all confidences, refusals among them, to the run before; NaN without.
    """

    organization: str
    answers: int
    refused: float
    confidence: float
    right: float
    gap: float
    chance: float
    shift: float

    @property
    def verdict(self) -> str:
        found = [
            *(["over-confident"] if self.gap > self.chance else []),
            *(["under-confident"] if self.gap < -self.chance else []),
            *(["other questions or documents than before"] if self.shift >= SHIFTED else []),
        ]
        return ", ".join(found) or "no drift"


def drifts(run: Run, baseline: Run | None = None) -> Iterator[Drift]:
    """Of each organization in the run that was asked for answers."""
    for suite in run.suites:
        rows = run.of(suite.name)
        if any(row.confidence is not None for row in rows):
            yield _drift(suite.name, rows, baseline.of(suite.name) if baseline else [])


def _drift(name: str, rows: list[Record], before: list[Record]) -> Drift:
    confidence, right = given(columns_of(rows))
    count = len(confidence)
    said, true = (float(values.mean()) if count else nan for values in (confidence, right))
    return Drift(
        organization=name,
        answers=sum(row.given for row in rows),
        refused=sum(row.refused for row in rows) / len(rows),
        confidence=said,
        right=true,
        gap=said - true,
        chance=SURE * sqrt(float((confidence * (1 - confidence)).sum())) / count if count else nan,
        shift=stability_index(_confidences(before), _confidences(rows)),
    )


def _confidences(rows: list[Record]) -> Array:
    return np.array([row.confidence for row in rows if row.confidence is not None], np.float64)


def stability_index(before: Array, now: Array) -> float:
    """Sum over bins of (q - p) ln(q / p), p and q the shares before and now; ten bins of equal mass before.

    NaN where there are too few to tell.
    """
    if min(len(before), len(now)) < FEWEST:
        return nan
    edges = np.unique(np.quantile(before, np.linspace(0, 1, BINS + 1)[1:-1]))
    p, q = (
        (np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1) + 0.5)
        / (len(values) + 0.5 * (len(edges) + 1))
        for values in (before, now)
    )
    return float(((q - p) * np.log(q / p)).sum())

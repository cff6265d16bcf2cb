"""Whether confidence still means what it says in each organization: a suite is asked of an organization of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from eval.measures import Array, columns_of, given
from eval.metrics import BINS
from eval.records import Record, Run

SURE = 1.96
NONE, NOT_KNOWN = "no drift", "not known"
SHIFTED = 0.25
"""Population stability index from which a distribution is another one (Siddiqi 2006); below .1 it is the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Of one organization. `gap` is the mean confidence of the answers judged less the share of right ones, `chance`
    what of it chance explains 95 times in a hundred, were each confidence exact; NaN where no gold answers tell.

    `shift` is the population stability index of all confidences, refusals among them, to the run before, and
    `shift_chance` what chance makes of it 95 times in a hundred; NaN without a run before.
    """

    organization: str
    judged: int
    refused: float
    confidence: float
    right: float
    gap: float
    chance: float
    shift: float
    shift_chance: float

    @property
    def verdict(self) -> str:
        found = [
            *(["over-confident"] if self.gap > self.chance else []),
            *(["under-confident"] if self.gap < -self.chance else []),
            *(["other questions or documents than before"] if self.shift >= max(SHIFTED, self.shift_chance) else []),
        ]
        return ", ".join(found) or (NOT_KNOWN if isnan(self.gap) and isnan(self.shift) else NONE)


def drifts(run: Run, baseline: Run | None = None) -> Iterator[Drift]:
    """Of each organization in the run that was asked for answers."""
    for suite in run.suites:
        rows = run.of(suite.name)
        if any(row.confidence is not None for row in rows):
            yield _drift(suite.name, rows, baseline.of(suite.name) if baseline else [])


def _drift(name: str, rows: list[Record], before: list[Record]) -> Drift:
    confidence, right = given(columns_of(rows))
    count = len(confidence)
    shift, shift_chance = stability_index(_confidences(before), _confidences(rows))
    said, true = (float(values.mean()) if count else nan for values in (confidence, right))
    return Drift(
        organization=name,
        judged=count,
        refused=sum(row.refused for row in rows) / len(rows),
        confidence=said,
        right=true,
        gap=said - true,
        chance=SURE * sqrt(float((confidence * (1 - confidence)).sum())) / count if count else nan,
        shift=shift,
        shift_chance=shift_chance,
    )


def _confidences(rows: list[Record]) -> Array:
    return np.array([row.confidence for row in rows if row.confidence is not None], np.float64)


def stability_index(before: Array, now: Array) -> tuple[float, float]:
    """Sum over bins of (q - p) ln(q / p), p and q the shares before and now, ten bins of equal mass before; and what
    chance makes of it 95 times in a hundred where nothing has changed (Yurdakul & Naranjo 2020). NaN without values.
    """
    if not (before.size and now.size):
        return nan, nan
    edges = np.unique(np.quantile(before, np.linspace(0, 1, BINS + 1)[1:-1]))
    p, q = (
        (np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1) + 0.5)
        / (len(values) + 0.5 * (len(edges) + 1))
        for values in (before, now)
    )
    return float(((q - p) * np.log(q / p)).sum()), _chi_squared(len(edges)) * (1 / len(before) + 1 / len(now))


def _chi_squared(freedom: int) -> float:
    """Its 95 % quantile (Wilson & Hilferty 1931)."""
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + 1.645 * sqrt(spread)) ** 3)

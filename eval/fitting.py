"""Logistic models fitted to questions with known answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.evidence import Evidence
from pipelines.calibration import GENERATED, NAMES, READ, Calibration, Logistic, log_odds

RIDGE = 1e-3
FREEDOM_OF_BIAS, LONGEST_STEP = 1e-3, 2.0
"""Where all examples come out the same, or evidence separates them, the fit stays finite."""
FOREIGN = 0.15
"""Weight of questions that were asked of a strange knowledge base: easily told, they should not rule a fit."""
REFUSAL_COST = 4.0
"""What a question wrongly refused costs, in answers given where there is none; these come with a low confidence."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with a known answer, asked of a knowledge base; `group` is the set of questions it belongs to.

    `is_right`: what was answered, or would have been, is right; None where no gold answer tells.
    `is_near`: asked of its own knowledge base, about its subject. `read`: what a classifier made of it, if it could.
    """

    evidence: Evidence
    group: str
    is_answerable: bool
    is_right: bool | None
    is_near: bool = True
    read: float | None = None

    @property
    def known(self) -> dict[str, float]:
        """All evidence by name."""
        return asdict(self.evidence) | ({} if self.read is None else {READ: self.read})


def fit(
    examples: Sequence[Example],
    passages: Sequence[tuple[float, bool]],
    *,
    refusal_cost: float = REFUSAL_COST,
    without: frozenset[str] = frozenset(),
) -> Calibration:
    """The models that fit best, each group counting alike, evidence named in `without` left aside.

    `passages`: cosine, and whether the passage is a right one. To refuse costs least where the probability of being
    answerable is below the threshold.
    """
    names = [name for name in NAMES if name not in without]
    threshold = 1 / (1 + refusal_cost)
    answerable, right = _fit_both(examples, names, threshold)
    read = [one for one in examples if one.read is not None]
    told = {one.is_answerable for one in read if one.is_right is not None}
    answerable_closely, right_closely = (
        _fit_both(read, [*names, READ], threshold) if told == {True, False} else (None, None)
    )
    return Calibration(
        answerable=answerable,
        right=right,
        relevant=_regress(
            np.array([[cosine] for cosine, _ in passages]),
            [right for _, right in passages],
            ["cosine"],
            np.ones(len(passages)),
        ),
        threshold=threshold,
        answerable_closely=answerable_closely,
        right_closely=right_closely,
    )


def _fit_both(examples: Sequence[Example], names: Sequence[str], threshold: float) -> tuple[Logistic, Logistic]:
    """Whether there is an answer; and whether the one given is right, where it would be given and gold answers tell."""
    answerable = _fit(examples, [one.is_answerable for one in examples], names, _by_kind(examples))
    told = [one for one in examples if one.is_right is not None]
    given = [one for one in told if answerable.probability(one.known) >= threshold] or told
    return answerable, _fit(given, [bool(one.is_right) for one in given], names, _by_group(given))


def fit_generated(answers: Sequence[tuple[float, bool]]) -> Logistic:
    """From the confidence of answers that a language model gave, and whether they were right (Platt 1999).

    More evidence never counts against an answer.
    """
    rows = np.array([[log_odds(confidence)] for confidence, _ in answers])
    fitted = _regress(rows, [right for _, right in answers], [GENERATED], np.ones(len(answers)))
    if fitted.weights[GENERATED] > 0:
        return fitted
    return Logistic({GENERATED: 0.0}, log_odds(float(np.mean([right for _, right in answers]))))


def _fit(examples: Sequence[Example], target: Sequence[bool], names: Sequence[str], weights: Array) -> Logistic:
    known = [one.known for one in examples]
    rows = np.array([[one[name] for name in names] for one in known])
    return _regress(rows, target, names, weights)


def _by_kind(examples: Sequence[Example]) -> Array:
    """Answerable and unanswerable questions of each group count alike, whatever their numbers."""
    kinds = [(one.group, one.is_answerable, one.is_near) for one in examples]
    share = {kind: (1.0 if kind[2] else FOREIGN) / count for kind, count in Counter(kinds).items()}
    return np.array([share[kind] for kind in kinds])


def _by_group(examples: Sequence[Example]) -> Array:
    """Each group counts alike; within it questions come as often as they are asked, foreign ones apart."""
    sizes = Counter(one.group for one in examples)
    return np.array([(1.0 if one.is_near else FOREIGN) / sizes[one.group] for one in examples])


def _regress(rows: Array, target: Sequence[bool], names: Sequence[str], weights: Array) -> Logistic:
    """Logistic regression by Newton's method, with a small ridge on standardised features."""
    weights = weights / weights.sum()
    means, scales = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    design = np.column_stack([(rows - means) / scales, np.ones(len(rows))])
    penalty = RIDGE * np.diag([*np.ones(rows.shape[1]), FREEDOM_OF_BIAS])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (weights * (predicted - np.array(target))) + penalty @ beta
        step = np.linalg.solve((design.T * (weights * predicted * (1 - predicted))) @ design + penalty, gradient)
        beta -= step * (LONGEST_STEP / max(LONGEST_STEP, np.abs(step).max()))
    slopes = beta[:-1] / scales
    return Logistic(dict(zip(names, slopes.tolist(), strict=True)), float(beta[-1] - slopes @ means))

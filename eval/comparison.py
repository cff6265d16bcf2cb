"""Two runs over the same questions: is a difference more than chance, and where is it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from eval.measures import Columns, Measure, columns_of, interval, measured, resampled
from eval.records import Record, Run, RunFileError
from eval.report import shown, table

ROUNDS = 2000
LEVEL = 0.05
WEIGHED = ("right", "gold_cited", "refused", "nDCG@10", "verbatim", "markers", "failed")
"""Metrics of 0 to 1 by which a question has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Of one measure, B less A, over the questions of both; `p` is that of a randomisation test, two-sided.

    NaN where no test can tell.
    """

    suite: str
    measure: Measure
    a: float
    b: float
    low: float
    high: float
    p: float
    count: int

    @property
    def difference(self) -> float:
        return self.b - self.a

    @property
    def more_than_chance(self) -> bool:
        return self.p < LEVEL and (self.low > 0 or self.high < 0)

    @property
    def verdict(self) -> str:
        if isnan(self.p):
            return "not to be told"
        if not self.more_than_chance:
            return "no more than chance" if self.difference else "the same"
        return {1: "better", -1: "worse", 0: "different"}[int(np.sign(self.difference * self.measure.better))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A question and how much of it changed."""

    before: Record
    after: Record
    amount: float

    @property
    def in_scores(self) -> bool:
        """And not in its confidence alone."""
        return self.before.refused != self.after.refused or _steps(self.before, self.after) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`pairs` are all questions of both runs, `changes` those that are not as before, most changed first."""

    differences: list[Difference]
    pairs: list[tuple[Record, Record]]
    changes: list[Change]
    remarks: list[str]


def compare(a: Run, b: Run, seed: int = 0) -> Comparison:
    """Raises RunFileError where they share no question."""
    suites = [suite.name for suite in a.suites if suite.name in {other.name for other in b.suites}]
    differences: list[Difference] = []
    pairs: list[tuple[Record, Record]] = []
    for suite in suites:
        before, after = paired(a.of(suite), b.of(suite))
        differences += differences_of(suite, before, after, seed)
        pairs += zip(before, after, strict=True)
    if not pairs:
        raise RunFileError("the runs have no question in common")
    changes = [Change(before=x, after=y, amount=_amount(x, y)) for x, y in pairs]
    moved = sorted((one for one in changes if one.amount > 0), key=lambda one: -one.amount)
    return Comparison(differences=differences, pairs=pairs, changes=moved, remarks=_remarks(a, b))


def paired(before: Sequence[Record], after: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The questions of both, in the order of the first."""
    others = {row.id: row for row in after if row.id}
    shared = [row for row in before if row.id in others and others[row.id].question == row.question]
    return shared, [others[row.id] for row in shared]


def differences_of(suite: str, before: Sequence[Record], after: Sequence[Record], seed: int = 0) -> list[Difference]:
    if not before:
        return []
    first, second = columns_of(before), columns_of(after)
    names = {measure.name for measure in measured(second)}
    shared = [measure for measure in measured(first) if measure.name in names]
    return [_difference(suite, measure, first, second, seed) for measure in shared]


def _difference(suite: str, measure: Measure, a: Columns, b: Columns, seed: int) -> Difference:
    """The same seed draws the same questions from both."""
    if measure.has_interval and not measure.of_the_machine:
        drawn = resampled(measure, b, seed) - resampled(measure, a, seed)
        low, high = interval(drawn, around=measure.value(b) - measure.value(a) if measure.biased else None)
        p = _randomised(measure, a, b, seed)
    else:
        low = high = p = float("nan")
    own = measure.column or measure.name
    count = int((~np.isnan(a[own]) & ~np.isnan(b[own])).sum())
    return Difference(
        suite=suite, measure=measure, a=measure.value(a), b=measure.value(b), low=low, high=high, p=p, count=count
    )


def _randomised(measure: Measure, a: Columns, b: Columns, seed: int) -> float:
    """How often a difference at least as large appears where the two runs' results are swapped at random."""
    observed = abs(measure.value(b) - measure.value(a))
    if isnan(observed):
        return float("nan")
    names = [name for name in a if name in b] if measure.of else [measure.name]
    generator = np.random.default_rng(seed)
    count, extreme = len(a["answerable"]), 0
    for _ in range(ROUNDS):
        swapped = generator.random(count) < 0.5
        first = {name: np.where(swapped, b[name], a[name]) for name in names}
        second = {name: np.where(swapped, a[name], b[name]) for name in names}
        extreme += abs(measure.value(second) - measure.value(first)) >= observed - 1e-12
    return (extreme + 1) / (ROUNDS + 1)


def _amount(before: Record, after: Record) -> float:
    sure = abs((after.confidence or 0.0) - (before.confidence or 0.0))
    return _steps(before, after) + sure + (before.refused != after.refused)


def _steps(before: Record, after: Record) -> float:
    shared = [name for name in WEIGHED if name in before.metrics and name in after.metrics]
    return float(np.nansum([abs(after.metrics[name] - before.metrics[name]) for name in shared]))


def _remarks(a: Run, b: Run) -> list[str]:
    """What a reader has to know before believing the table."""
    remarks = []
    before, after = ({suite.name: suite for suite in run.suites} for run in (a, b))
    for name in sorted(before.keys() & after.keys()):
        if before[name].data_sha256 != after[name].data_sha256:
            remarks.append(f"{name}: the data differ; only questions of both with the same text are compared")
        if before[name].asked != after[name].asked:
            remarks.append(f"{name}: {before[name].asked} questions were asked in A, {after[name].asked} in B")
    remarks += [f"{name} is in one run only" for name in sorted(before.keys() ^ after.keys())]
    return remarks + _other_settings(a.provenance, b.provenance)


def _other_settings(a: Mapping[str, object], b: Mapping[str, object]) -> list[str]:
    """The evaluation's own code does not count: it is the same for both now, and answers are the library's."""
    names = ("target", "mode", "configuration", "library_sha256", "versions", "judge", "seed")
    differ = [name for name in names if a.get(name) != b.get(name)]
    return [f"the runs differ in {', '.join(differ)}" if differ else "the runs have the same library and settings"]


def comparison_table(comparison: Comparison) -> str:
    header = ["suite", "measure", "A", "B", "B - A", "95 % interval", "p", "questions", "verdict"]
    return table(header, [_cells(one) for one in comparison.differences])


def _cells(one: Difference) -> list[str | float]:
    between = "–" if isnan(one.low) else f"{signed(one.low)} to {signed(one.high)}"
    p = "<0.001" if one.p < 0.001 else one.p
    return [one.suite, one.measure.name, one.a, one.b, signed(one.difference), between, p, one.count, one.verdict]


def signed(value: float) -> str:
    return shown(value) if isnan(value) or value <= 0 else f"+{shown(value)}"


def conclusion(comparison: Comparison) -> str:
    """In a sentence."""
    tested = [one for one in comparison.differences if not isnan(one.p)]
    real = [one for one in tested if one.more_than_chance]
    if not real:
        return f"None of {len(tested)} differences is more than chance."
    named = ", ".join(f"{one.suite} {one.measure.name} {one.verdict} ({signed(one.difference)})" for one in real)
    return (
        f"More than chance, {len(real)} of {len(tested)}, where one in twenty would seem so by chance alone: {named}."
    )


def change_lines(changes: Sequence[Change]) -> list[str]:
    return [
        f"{one.after.suite}/{one.after.id}: {one.after.question}\n  A: {_said(one.before)}\n  B: {_said(one.after)}"
        for one in changes
    ]


def _said(row: Record) -> str:
    names = [name for name in WEIGHED if name in row.metrics and name not in {"verbatim", "markers", "failed"}]
    scores = ", ".join(f"{name} {shown(row.metrics[name])}" for name in names)
    sure = "" if row.confidence is None else f" [confidence {row.confidence:.2f}; {scores}]"
    return (row.error or ("(refused)" if row.refused else row.answer) or "–") + sure

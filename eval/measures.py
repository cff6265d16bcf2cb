"""All measures of a run by name, and their estimates: means over questions, or statistics of all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.metrics import RESAMPLES, Estimate, Flags, auroc, calibration_error
from eval.records import Record
from eval.reliability import perfect_error

Array = NDArray[np.float64]
Columns = Mapping[str, Array]
"""By name, one value a question; NaN where it has none."""
HIGHER, LOWER, NEITHER = 1, -1, 0


@dataclass(frozen=True, slots=True)
class Measure:
    """`of` makes it of all columns; without it, it is the mean of its own. `column` has a value where it counts.

    A `biased` one is larger in resamples than in the sample: its interval is moved back. One `of_the_machine` differs
    between runs for reasons that no question knows, so it is shown, and not tested.
    """

    name: str
    meaning: str
    better: int = HIGHER
    of: Callable[[Columns], float] | None = None
    column: str = ""
    has_interval: bool = True
    biased: bool = False
    of_the_machine: bool = False

    def value(self, columns: Columns) -> float:
        if self.of:
            return self.of(columns)
        own = columns[self.name]
        known = own[~np.isnan(own)]
        return float(known.mean()) if known.size else float("nan")


def given(columns: Columns) -> tuple[Array, Flags]:
    """Confidence and correctness of the answers given."""
    known = ~np.isnan(columns["correct"])
    return columns["confidence"][known], columns["correct"][known] > 0


def _ece(columns: Columns) -> float:
    return calibration_error(*given(columns))


def _perfect_ece(columns: Columns) -> float:
    return perfect_error(given(columns)[0])


def _tells_right(columns: Columns) -> float:
    return auroc(*given(columns))


def _tells_answerable(columns: Columns) -> float:
    known = ~np.isnan(columns["confidence"])
    return auroc(columns["confidence"][known], columns["answerable"][known] > 0)


def _quantile(name: str, share: float) -> Callable[[Columns], float]:
    def of(columns: Columns) -> float:
        known = columns[name][~np.isnan(columns[name])]
        return float(np.quantile(known, share)) if known.size else float("nan")

    return of


MEASURES = [
    Measure("nDCG@10", "documents ranked, gain 2^grade - 1"),
    Measure("recall@10", "gold documents among the first ten"),
    Measure("MRR@10", "1 / rank of the first gold document"),
    Measure("success@1", "a gold document is first"),
    Measure("success@3", "a gold document among the first three"),
    Measure("success@5", "a gold document among the first five"),
    Measure("gold_cited", "answerable: a gold document is cited"),
    Measure("citation_precision", "answers given: cited documents that are gold"),
    Measure("citation_recall", "answerable: gold documents that are cited"),
    Measure("right", "answerable: contains a gold answer, or token F1 of .3; without gold answers, gold is cited"),
    Measure("right_short", "answerable: right with at most 60 words"),
    Measure("contains", "answers given: contain a gold answer"),
    Measure("token_f1", "answers given: token F1"),
    Measure("rouge_l", "answers given: ROUGE-L by rouge-score"),
    Measure("words", "answers given: words, median", NEITHER, _quantile("words", 0.5)),
    Measure("verbatim", "citations whose snippet stands in its document"),
    Measure("markers", "markers are 1 to the number of citations"),
    Measure("wrongly_refused", "answerable: refused", LOWER),
    Measure("refused", "unanswerable: refused (refusal recall)"),
    Measure("refused_near_miss", "unanswerable, near misses: refused"),
    Measure("refused_other", "unanswerable, others: refused"),
    Measure("refusal_precision", "refused: unanswerable"),
    Measure("ece", "answers given: expected calibration error", LOWER, _ece, "correct", biased=True),
    Measure(
        "ece_perfect", "the ECE of a perfect confidence at this n", NEITHER, _perfect_ece, "correct", has_interval=False
    ),
    Measure("brier", "answers given: squared error of the confidence", LOWER),
    Measure("auroc", "answers given: confidence tells right from wrong", HIGHER, _tells_right, "correct"),
    Measure("auroc_answerable", "all: confidence tells answerable questions", HIGHER, _tells_answerable, "confidence"),
    Measure("follow_ups_answered", "follow-up questions answered with confidence 0.3 or more"),
    Measure("follow_ups_fresh", "follow-up questions that do not repeat the question"),
    Measure("latency_p50_ms", "time of a question", LOWER, _quantile("ms", 0.5), "ms", of_the_machine=True),
    Measure("latency_p95_ms", "time of a question", LOWER, _quantile("ms", 0.95), "ms", of_the_machine=True),
    Measure("failed", "questions that failed", LOWER),
]
BY_NAME = {measure.name: measure for measure in MEASURES}


def measure_named(name: str) -> Measure:
    """Others than these, as a judge's, are means where higher is better."""
    return BY_NAME.get(name, Measure(name, name))


def columns_of(records: Sequence[Record]) -> dict[str, Array]:
    """Of all metrics that any record has, and what statistics need."""
    nothing = float("nan")
    names = dict.fromkeys(name for record in records for name in record.metrics)
    columns = {name: _column(record.metrics.get(name, nothing) for record in records) for name in names}
    for name in {"correct", "words"} - columns.keys():
        columns[name] = np.full(len(records), nothing)
    columns["confidence"] = _column(nothing if one.confidence is None else one.confidence for one in records)
    columns["answerable"] = _column(float(one.answerable) for one in records)
    columns["ms"] = _column(nothing if one.error else 1000 * one.seconds for one in records)
    return columns


def _column(values: Iterator[float]) -> Array:
    return np.fromiter(values, np.float64)


def measured(columns: Columns) -> list[Measure]:
    """The known ones in their order, then others; not what is in no record."""
    inner = {"correct", "confidence", "answerable", "ms"}
    known = [one for one in MEASURES if (not np.isnan(one.value(columns)) if one.of else one.name in columns)]
    return [*known, *(measure_named(name) for name in columns if name not in BY_NAME and name not in inner)]


def estimates(records: Sequence[Record], seed: int) -> dict[str, Estimate]:
    columns = columns_of(records)
    return {measure.name: _estimate(measure, columns, seed) for measure in measured(columns)}


def _estimate(measure: Measure, columns: Columns, seed: int) -> Estimate:
    """`count` is the number of questions that have a value."""
    value = measure.value(columns)
    low = high = float("nan")
    if measure.has_interval:
        low, high = interval(resampled(measure, columns, seed), around=value if measure.biased else None)
        low = max(low, 0.0)
    count = int((~np.isnan(columns[measure.column or measure.name])).sum())
    return Estimate(value, low, high, count)


def interval(values: Array, around: float | None = None) -> tuple[float, float]:
    """The middle 95 % of resamples that have a value; with `around` freed of bias: a resample's ECE is larger."""
    known = values[~np.isnan(values)]
    if not known.size:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.025, 0.975]) + (0.0 if around is None else around - known.mean())
    return float(low), float(high)


def resampled(measure: Measure, columns: Columns, seed: int) -> Array:
    """The measure over bootstrap samples of the questions: the same samples for the same seed and number."""
    count = len(columns["answerable"])
    generator = np.random.default_rng(seed)
    needed = columns if measure.of else {measure.name: columns[measure.name]}
    samples = (generator.integers(count, size=count) for _ in range(RESAMPLES))
    return _column(measure.value({name: column[one] for name, column in needed.items()}) for one in samples)

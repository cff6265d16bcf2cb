"""Measures of rankings (by ir-measures) and of answers, each a number a question, and their means with intervals."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from numpy.typing import NDArray

from eval.types import Reply

MARKER = re.compile(r"\[(\d+)\]")
CHARACTERS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{CHARACTERS}]|[^\W_{CHARACTERS}]+")
ARTICLES = frozenset({"a", "an", "the"})
RESAMPLES = 2000
RIGHT = 0.3
"""Token F1 from which an answer counts as right."""
BINS = 10

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Values = dict[str, dict[str, float]]
"""By measure, then by question."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the 95 % interval of its bootstrap over questions."""

    mean: float
    low: float
    high: float
    count: int


def estimate(values: Iterable[float], seed: int = 0) -> Estimate:
    """Of no values: not a number."""
    sample = np.fromiter(values, np.float64)
    if not sample.size:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    chosen = np.random.default_rng(seed).integers(sample.size, size=(RESAMPLES, sample.size))
    low, high = np.quantile(sample[chosen].mean(axis=1), [0.025, 0.975])
    return Estimate(float(sample.mean()), float(low), float(high), int(sample.size))


# --- rankings


def measures_of(gold: Mapping[str, Mapping[str, int]]) -> dict[str, ir_measures.measures.Measure]:
    """By the name they are reported under; the gain of a grade is 2 ** grade - 1."""
    grades = {grade for grades in gold.values() for grade in grades.values()}
    return {
        "nDCG@10": ir_measures.nDCG(gains={grade: 2**grade - 1 for grade in grades}) @ 10,
        "recall@10": ir_measures.R @ 10,
        "MRR@10": ir_measures.RR @ 10,
        "success@1": ir_measures.Success @ 1,
        "success@3": ir_measures.Success @ 3,
        "success@5": ir_measures.Success @ 5,
    }


def rankings(gold: Mapping[str, Mapping[str, int]], found: Mapping[str, Sequence[str]]) -> Values:
    """`found`: document ids, best first, by question. A gold question without a ranking counts 0."""
    measures = measures_of(gold)
    names = {measure: name for name, measure in measures.items()}
    values: Values = {name: dict.fromkeys(gold, 0.0) for name in measures}
    for metric in ir_measures.iter_calc(measures.values(), _judgements(gold), _run(found)):
        if metric.query_id in gold:
            values[names[metric.measure]][metric.query_id] = metric.value
    return values


def _judgements(gold: Mapping[str, Mapping[str, int]]) -> list[ir_measures.Qrel]:
    return [ir_measures.Qrel(q, document, grade) for q, grades in gold.items() for document, grade in grades.items()]


def _run(found: Mapping[str, Sequence[str]]) -> list[ir_measures.ScoredDoc]:
    return [
        ir_measures.ScoredDoc(question, document, -float(rank))
        for question, documents in found.items()
        for rank, document in enumerate(documents)
    ]


# --- answers


def words(text: str) -> list[str]:
    """Lower-case words without English articles; a Chinese or Japanese character is a word."""
    return [word for word in WORD.findall(unicodedata.normalize("NFKC", text).lower()) if word not in ARTICLES]


def without_markers(text: str) -> str:
    return MARKER.sub("", text)


def token_f1(answer: str, gold: Sequence[str]) -> float:
    """The best of SQuAD's token F1 over the gold answers."""
    return max((_f1(words(answer), words(one)) for one in gold), default=0.0)


def _f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    shared = (Counter(answer) & Counter(gold)).total()
    return 2 * shared / (len(answer) + len(gold)) if shared else 0.0


def contains(answer: str, gold: str) -> bool:
    """Whether the gold answer's words stand in the answer in their order, next to each other."""
    needle = words(gold)
    return bool(needle) and f" {' '.join(needle)} " in f" {' '.join(words(answer))} "


def is_right(answer: str, gold: Sequence[str]) -> bool:
    """Whether one of the gold answers is contained, or has enough words in common."""
    return any(contains(answer, one) for one in gold) or token_f1(answer, gold) >= RIGHT


def markers_match(reply: Reply) -> bool:
    """Whether the markers are 1 to the number of citations, numbered by first appearance."""
    numbers = list(dict.fromkeys(int(number) for number in MARKER.findall(reply.text)))
    return numbers == list(range(1, len(reply.citations) + 1))


def snippets_verbatim(reply: Reply, texts: Mapping[str, str]) -> list[float]:
    """1 for each citation whose snippet stands in its document's text as it is, else 0."""
    return [
        float(bool(cited.snippet.strip()) and cited.snippet in texts.get(cited.external_id, ""))
        for cited in reply.citations
    ]


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(np.asarray(values, np.float64), share)) if values else float("nan")


def median(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


# --- probabilities


def auroc(scores: Numbers, happened: Flags) -> float:
    """Probability that what happened was scored higher than what did not; ties count half."""
    good, bad = scores[happened], np.sort(scores[~happened])
    if not good.size or not bad.size:
        return float("nan")
    below = np.searchsorted(bad, good, "left") + np.searchsorted(bad, good, "right")
    return float(below.mean() / (2 * bad.size))


def calibration_error(probabilities: Numbers, happened: Flags) -> float:
    """ECE, in bins of as many each: the mean distance of what was said from what came true."""
    order = np.argsort(probabilities, kind="stable")
    bins = [chosen for chosen in np.array_split(order, BINS) if chosen.size]
    gaps = [chosen.size * abs(probabilities[chosen].mean() - happened[chosen].mean()) for chosen in bins]
    return float(sum(gaps) / order.size) if order.size else float("nan")


def brier(probabilities: Numbers, happened: Flags) -> float:
    """Mean squared distance of the probabilities from what came true."""
    return float(np.mean((probabilities - happened) ** 2)) if probabilities.size else float("nan")

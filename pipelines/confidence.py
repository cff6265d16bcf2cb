"""Is there an answer in what was found, and how surely is it right: two logistic models over the same evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.reading import Reading
from pipelines.text.tokens import index_tokens
from pipelines.types import Hit

FILE = Path(__file__).with_name("calibration.json")
NAME = re.compile(r"(?<!^)\b[A-Z][\w&.-]+|\b\w*\d\w*\b")
"""A word with a capital inside the question, or with a digit: what an answer has to be about."""
CERTAIN = 0.99
"""Nothing found in documents is surer than this."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """log-odds = weights · (features - means) / scales + bias."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def probability(self, features: NDArray[np.float64]) -> float:
        scaled = (features - np.array(self.means)) / np.array(self.scales)
        return float(1 / (1 + np.exp(-(scaled @ np.array(self.weights) + self.bias))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Fitted on questions with known answers; `provenance` says on which, when and how."""

    version: int
    provenance: Mapping[str, Any]
    answerable: Logistic
    right: Logistic
    threshold: float
    """Probability of being answerable below which nothing was found."""

    def save(self, path: Path = FILE) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


@lru_cache(maxsize=4)
def load(path: Path = FILE) -> Calibration:
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Calibration(**raw | {name: Logistic(**raw[name]) for name in ("answerable", "right")})


@dataclass(frozen=True, slots=True)
class Judgement:
    """`is_answerable` decides before any model is called; `confidence` is the probability of a right answer, 0..1."""

    is_answerable: bool
    confidence: float


def judge(reading: Reading, calibration: Calibration | None = None) -> Judgement:
    if not reading.units:
        return Judgement(is_answerable=False, confidence=0.0)
    model = calibration or load()
    evidence = features(reading)
    answerable = model.answerable.probability(evidence)
    confidence = min(CERTAIN, model.right.probability(evidence))
    return Judgement(answerable >= model.threshold, confidence)


def relevance(hit: Hit) -> float:
    """A passage's own, 0..1, comparable between questions: its cosine where it is positive."""
    return max(0.0, min(1.0, hit.cosine))


def features(reading: Reading) -> NDArray[np.float64]:
    """Shape (features,), in the order of `FEATURES`."""
    return np.array([feature(reading) for feature in FEATURES.values()], np.float64)


def _terms(reading: Reading) -> Any:
    return reading.passages[0].terms


def _margin(cosines: Sequence[float]) -> float:
    """By how much the nearest passage stands out of the twenty that were found."""
    return max(cosines) - float(np.median(cosines))


def _around(unit: Any) -> float:
    """How much of the question a sentence covers together with its heading and the sentence before."""
    before = unit.before.tokens if unit.before else frozenset()
    return float(unit.passage.terms.share(unit.piece.tokens | unit.heading | before))


def _pairs(unit: Any) -> float:
    pairs = unit.passage.terms.pairs
    return len(unit.piece.pairs & pairs) / max(1, len(pairs))


def _unknown(reading: Reading) -> float:
    """Share of the question, by weight, that no document in the index has a word of."""
    terms = _terms(reading)
    return float(terms.share(terms.unknown))


def _heaviest_missing(reading: Reading) -> float:
    """Weight of the rarest word that the best covering passage lacks, as a share of the rarest word's."""
    best = max(reading.passages, key=lambda passage: passage.coverage)
    missing = [w for token, w in best.terms.weights.items() if token not in best.tokens | best.heading]
    return max(missing, default=0.0) / max(best.terms.weights.values(), default=1.0)


def _names_missing(reading: Reading, *, best_only: bool = False) -> float:
    """Share of the question's names and numbers that the passages lack."""
    passages = reading.passages[:1] if best_only else reading.passages
    names = set(index_tokens(" ".join(NAME.findall(reading.retrieval.question.text)), passages[0].language))
    held = frozenset[str]().union(*(passage.tokens | passage.heading for passage in passages))
    return len(names - held) / len(names) if names else 0.0


def _expected(reading: Reading) -> float:
    """Whether a sentence near the question's words has what its type asks for: a date, a number, a name."""
    if reading.kind is None:
        return 1.0
    near = sorted(reading.units, key=_around)[-3:]
    return float(any(reading.kind.answered.search(unit.text) for unit in near))


FEATURES: dict[str, Callable[[Reading], float]] = {
    "cosine": lambda reading: max(passage.hit.cosine for passage in reading.passages),
    "cosine of the best": lambda reading: reading.passages[0].hit.cosine,
    "margin": lambda reading: _margin([hit.cosine for hit in reading.retrieval.hits]),
    "coverage": lambda reading: max(passage.coverage for passage in reading.passages),
    "coverage of the best": lambda reading: reading.passages[0].coverage,
    "coverage of a sentence": lambda reading: max(_around(unit) for unit in reading.units),
    "words of a sentence": lambda reading: max(unit.passage.terms.share(unit.piece.tokens) for unit in reading.units),
    "pairs": lambda reading: max(_pairs(unit) for unit in reading.units),
    "unknown": _unknown,
    "heaviest missing": _heaviest_missing,
    "names missing": _names_missing,
    "names missing in the best": lambda reading: _names_missing(reading, best_only=True),
    "bm25": lambda reading: max(passage.hit.bm25 for passage in reading.passages) / (2.2 * _terms(reading).total),
    "expected": _expected,
    "typed": lambda reading: float(reading.kind is not None),
    "length": lambda reading: min(1.0, len(_terms(reading).weights) / 12),
}
"""What is known when an answer is decided on."""


def fit(
    evidence: NDArray[np.float64], answerable: NDArray[np.bool_], right: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[Logistic, Logistic]:
    """Both models from questions with known answers: evidence (n, features), the others (n,)."""
    return _fit_one(evidence, answerable, weights), _fit_one(evidence, right, weights)


def _fit_one(
    evidence: NDArray[np.float64], target: NDArray[np.bool_], weights: NDArray[np.float64], ridge: float = 0.02
) -> Logistic:
    """Ridge-penalised logistic regression by Newton's method."""
    means, scales = evidence.mean(axis=0), evidence.std(axis=0) + 1e-9
    rows = np.column_stack([(evidence - means) / scales, np.ones(len(evidence))])
    penalty = ridge * weights.sum() * np.diag([*np.ones(evidence.shape[1]), 0.0])
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-rows @ beta))
        gradient = rows.T @ (weights * (p - target)) + penalty @ beta
        beta -= np.linalg.solve((rows.T * (weights * p * (1 - p))) @ rows + penalty, gradient)
    return Logistic(tuple(means), tuple(scales), tuple(beta[:-1]), float(beta[-1]))

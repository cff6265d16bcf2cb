"""Is there an answer in what was found, and how surely is it right: logistic models over the same evidence."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.evidence import Evidence, weigh
from pipelines.answering.reading import Reading
from pipelines.text.languages import detect_language, is_too_short
from pipelines.types import Hit

FILE = Path(__file__).with_name("calibration.json")
BUILT_IN, ANY = "all-MiniLM-L6-v2", "*"
VERSION = 2
CERTAIN = 0.99
"""Nothing found in documents is surer than this."""
RIDGE = 1e-3
FREEDOM_OF_BIAS, LONGEST_STEP = 1e-3, 2.0
"""Where all examples come out the same, or evidence separates them, the fit stays finite."""
FOREIGN = 0.15
"""Weight of questions that were asked of a strange knowledge base: easily told, they should not rule a fit."""
REFUSAL_COST = 4.0
"""What a question wrongly refused costs, in answers given where there is none; these come with a low confidence."""
COVERED = 0.25
"""Share of a question's words that a passage has to have where the embedding model does not know their language."""
NAMES = tuple(field.name for field in fields(Evidence))
GENERATED = "log_odds"
"""What the confidence of a language model's answer is calibrated by: the log-odds of what evidence and support say."""
OF_THE_MODEL = frozenset({"cosine", "lead"})
"""Evidence on an embedding model's own scale: means nothing of a model that was not calibrated."""

Array = NDArray[np.float64]


class CalibrationError(ValueError):
    """The file is no calibration that this version reads; the message says why."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """log-odds = weights · evidence + bias; evidence without a weight does not count."""

    weights: Mapping[str, float]
    bias: float

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], known: Sequence[str] = NAMES) -> Self:
        if unknown := set(raw["weights"]) - set(known):
            raise ValueError(f"there is no evidence {', '.join(sorted(unknown))}")
        return cls({name: float(weight) for name, weight in raw["weights"].items()}, float(raw["bias"]))

    def probability(self, evidence: Mapping[str, float]) -> float:
        odds = self.bias + sum(weight * evidence[name] for name, weight in self.weights.items())
        return float(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Of one embedding model; `threshold` is the probability of being answerable below which nothing was found.

    `right` is of answers in the documents' own sentences, `generated` of those that a language model made: None where
    none have been judged.
    """

    answerable: Logistic
    right: Logistic
    relevant: Logistic
    threshold: float
    generated: Logistic | None = None

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Self:
        models = {name: Logistic.from_dict(raw[name]) for name in ("answerable", "right", "relevant")}
        generated = Logistic.from_dict(raw["generated"], [GENERATED]) if "generated" in raw else None
        return cls(**models, threshold=float(raw["threshold"]), generated=generated)

    def of_generated(self, confidence: float) -> float:
        """Probability that a language model's answer is right: `confidence` is what evidence and support say of it."""
        if self.generated is None:
            return confidence
        return min(CERTAIN, self.generated.probability({GENERATED: log_odds(confidence)}))


@dataclass(frozen=True, slots=True)
class Judgement:
    """`is_answerable` decides before any model is called; `confidence` is the probability of a right answer, 0..1."""

    is_answerable: bool
    confidence: float


@lru_cache(maxsize=8)
def calibration_for(model: str = BUILT_IN) -> Calibration:
    """The library's calibration of an embedding model by its name; for one that has none, that without cosines."""
    return read_calibration(FILE, model)


def read_calibration(path: Path, model: str = BUILT_IN) -> Calibration:
    """The model's, or that of any other, from a file that `save` wrote. Raises CalibrationError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != VERSION:
            raise CalibrationError(f"{path}: version {content['version']} is not {VERSION}")
        calibrations = content["calibrations"]
        return Calibration.from_dict(calibrations.get(model) or calibrations[ANY])
    except CalibrationError:
        raise
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CalibrationError(f"{path}: not a calibration: {error!r}") from None


def save(calibrations: Mapping[str, Calibration], provenance: Mapping[str, Any], path: Path = FILE) -> None:
    """`provenance` says what was fitted on, when, and by which command.

    Kept are other models' calibrations, and how a language model's answers were calibrated beside these models.
    """
    content = _content(path)
    for name, calibration in calibrations.items():
        before, origin = content["calibrations"].get(name, {}), content["provenance"].get(name, {})
        content["calibrations"][name] = _kept(before) | _as_dict(calibration)
        content["provenance"][name] = dict(provenance) | _kept(origin)
    _write(content, path)


def save_generated(model: str, generated: Logistic, provenance: Mapping[str, Any], path: Path) -> None:
    """Puts the calibration of a language model's answers beside what the file, or the library, has of the model."""
    content = _content(path)
    if model not in content["calibrations"]:
        content["calibrations"][model] = _as_dict(calibration_for(model))
    content["calibrations"][model]["generated"] = asdict(generated)
    content["provenance"].setdefault(model, {})["generated"] = dict(provenance)
    _write(content, path)


def _content(path: Path) -> dict[str, Any]:
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {"version": VERSION, "provenance": {}, "calibrations": {}} | kept


def _kept(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"generated": entry["generated"]} if "generated" in entry else {}


def _as_dict(calibration: Calibration) -> dict[str, Any]:
    return {name: value for name, value in asdict(calibration).items() if value is not None}


def _write(content: Mapping[str, Any], path: Path) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def judge(
    reading: Reading, calibration: Calibration | None = None, languages: Collection[str] | None = None
) -> Judgement:
    """Without a `calibration` that of the built-in embedding model counts. `languages` are the model's, if not any.

    Asked in another, it finds near what is in that language, whatever it says: then words have to meet.
    """
    if not reading.units:
        return Judgement(is_answerable=False, confidence=0.0)
    models = calibration or calibration_for()
    evidence = asdict(weigh(reading))
    is_answerable = models.answerable.probability(evidence) >= models.threshold
    confidence = min(CERTAIN, models.right.probability(evidence))
    if languages is None or _language(reading) in languages:
        return Judgement(is_answerable, confidence)
    coverage = max(passage.coverage for passage in reading.passages)
    return Judgement(is_answerable and coverage >= COVERED, confidence)


def _language(reading: Reading) -> str:
    """Of the question; of what was found where the question is too short to tell."""
    question = reading.retrieval.question.text
    return reading.passages[0].language if is_too_short(question) else detect_language(question)


def relevance(hit: Hit, calibration: Calibration | None = None) -> float:
    """Probability that a passage is about what was asked, 0..1, by its cosine alone: comparable between questions."""
    return (calibration or calibration_for()).relevant.probability({"cosine": hit.cosine})


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with a known answer, asked of a knowledge base; `group` is the set of questions it belongs to.

    `is_right`: what was answered, or would have been, is right; None where no gold answer tells.
    `is_near`: asked of its own knowledge base, about its subject.
    """

    evidence: Evidence
    group: str
    is_answerable: bool
    is_right: bool | None
    is_near: bool = True


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
    answerable = _fit(examples, [one.is_answerable for one in examples], names, _by_kind(examples))
    threshold = 1 / (1 + refusal_cost)
    answered = [one for one in examples if answerable.probability(asdict(one.evidence)) >= threshold]
    answered = [one for one in answered if one.is_right is not None]
    return Calibration(
        answerable=answerable,
        right=_fit(answered, [bool(one.is_right) for one in answered], names, _by_group(answered)),
        relevant=_regress(
            np.array([[cosine] for cosine, _ in passages]),
            [right for _, right in passages],
            ["cosine"],
            np.ones(len(passages)),
        ),
        threshold=threshold,
    )


def fit_generated(answers: Sequence[tuple[float, bool]]) -> Logistic:
    """From the confidence of answers that a language model gave, and whether they were right (Platt 1999).

    More evidence never counts against an answer.
    """
    rows = np.array([[log_odds(confidence)] for confidence, _ in answers])
    fitted = _regress(rows, [right for _, right in answers], [GENERATED], np.ones(len(answers)))
    if fitted.weights[GENERATED] > 0:
        return fitted
    return Logistic({GENERATED: 0.0}, log_odds(float(np.mean([right for _, right in answers]))))


def log_odds(probability: float) -> float:
    """Of what is neither impossible nor certain."""
    kept = min(CERTAIN, max(1 - CERTAIN, probability))
    return log(kept / (1 - kept))


def _fit(examples: Sequence[Example], target: Sequence[bool], names: Sequence[str], weights: Array) -> Logistic:
    rows = np.array([[getattr(one.evidence, name) for name in names] for one in examples])
    return _regress(rows, target, names, weights)


def _by_kind(examples: Sequence[Example]) -> Array:
    """Answerable and unanswerable questions of each group count alike, whatever their numbers."""
    kinds = [(one.group, one.is_answerable, one.is_near) for one in examples]
    share = {kind: (1.0 if kind[2] else FOREIGN) / kinds.count(kind) for kind in set(kinds)}
    return np.array([share[kind] for kind in kinds])


def _by_group(examples: Sequence[Example]) -> Array:
    """Each group counts alike; within it questions come as often as they are asked, foreign ones apart."""
    groups = [one.group for one in examples]
    return np.array([(1.0 if one.is_near else FOREIGN) / groups.count(one.group) for one in examples])


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

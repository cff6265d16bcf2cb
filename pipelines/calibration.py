"""Logistic models over the evidence of an answer, of each embedding model its own, and the file they live in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any, Self

import numpy as np

from pipelines.answering.evidence import Evidence

FILE = Path(__file__).with_name("calibration.json")
BUILT_IN, ANY = "all-MiniLM-L6-v2", "*"
VERSION = 2
CERTAIN = 0.99
"""Nothing found in documents is surer than this."""
NAMES = tuple(field.name for field in fields(Evidence))
READ = "read"
"""Evidence where a classifier read the likeliest sentences closely: its log-odds of their holding an answer."""
GENERATED = "log_odds"
"""What the confidence of a language model's answer is calibrated by: the log-odds of what evidence and support say."""
CLOSELY = ("answerable_closely", "right_closely")
DOUBT = (0.08, 0.6)
"""Probabilities of being answerable, by the other evidence, between which a classifier reads closely: it takes as long
as all the rest, and beyond them changes little."""
OF_THE_MODEL = frozenset({"cosine", "lead"})
"""Evidence on an embedding model's own scale: means nothing of a model that was not calibrated."""


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
    none have been judged. The models `closely` know what a classifier read, too.
    """

    answerable: Logistic
    right: Logistic
    relevant: Logistic
    threshold: float
    answerable_closely: Logistic | None = None
    right_closely: Logistic | None = None
    generated: Logistic | None = None

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Self:
        models = {name: Logistic.from_dict(raw[name]) for name in ("answerable", "right", "relevant")}
        read = any(name in raw for name in CLOSELY)
        closely = {name: Logistic.from_dict(raw[name], [*NAMES, READ]) for name in CLOSELY if read}
        generated = Logistic.from_dict(raw["generated"], [GENERATED]) if "generated" in raw else None
        return cls(**models, **closely, threshold=float(raw["threshold"]), generated=generated)

    def is_doubtful(self, evidence: Mapping[str, float]) -> bool:
        """Whether to read closely."""
        least, most = DOUBT
        return self.answerable_closely is not None and least <= self.answerable.probability(evidence) < most

    def probabilities(self, evidence: Mapping[str, float]) -> tuple[float, float]:
        """Of there being an answer, and of the answer's being right; by what was read closely where that may count."""
        answerable, right = self.answerable, self.right
        if READ in evidence and self.answerable_closely and self.right_closely and self.is_doubtful(evidence):
            answerable, right = self.answerable_closely, self.right_closely
        return answerable.probability(evidence), min(CERTAIN, right.probability(evidence))

    def of_generated(self, confidence: float) -> float:
        """Probability that a language model's answer is right: `confidence` is what evidence and support say of it."""
        if self.generated is None:
            return confidence
        return min(CERTAIN, self.generated.probability({GENERATED: log_odds(confidence)}))


@lru_cache(maxsize=8)
def calibration_for(model: str = BUILT_IN) -> Calibration:
    """The library's calibration of an embedding model by its name; for one that has none, that without cosines."""
    return read_calibration(FILE, model)


def read_calibration(path: Path, model: str = BUILT_IN) -> Calibration:
    """The model's, or that of any other, from a file that `save_calibrations` wrote. Raises CalibrationError."""
    calibrations = _content(path)["calibrations"]
    try:
        return Calibration.from_dict(calibrations.get(model) or calibrations[ANY])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CalibrationError(f"{path}: not a calibration: {error!r}") from None


def existing(path: Path) -> dict[str, Any]:
    """What is in a file that calibrations are to be put into, if it is there. Raises CalibrationError."""
    return _content(path) if path.exists() else {"version": VERSION, "provenance": {}, "calibrations": {}}


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != VERSION:
            raise CalibrationError(f"{path}: version {content['version']} is not {VERSION}")
        return {"version": VERSION, **{part: dict(content[part]) for part in ("provenance", "calibrations")}}
    except CalibrationError:
        raise
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CalibrationError(f"{path}: not a calibration: {error!r}") from None


def save_calibrations(calibrations: Mapping[str, Calibration], provenance: Mapping[str, Any], path: Path) -> None:
    """`provenance` says what was fitted on, when, and by which command. Raises CalibrationError.

    Kept are other models' calibrations, and how a language model's answers were calibrated beside these models.
    """
    content = existing(path)
    for name, calibration in calibrations.items():
        before, origin = content["calibrations"].get(name, {}), content["provenance"].get(name, {})
        content["calibrations"][name] = _generated(before) | _as_dict(calibration)
        content["provenance"][name] = dict(provenance) | _generated(origin)
    _write(content, path)


def save_generated(model: str, generated: Logistic, provenance: Mapping[str, Any], path: Path) -> None:
    """Puts the calibration of a language model's answers beside what the file, or the library, has of the model.

    Raises CalibrationError.
    """
    content = existing(path)
    if model not in content["calibrations"]:
        content["calibrations"][model] = _as_dict(calibration_for(model))
    content["calibrations"][model]["generated"] = asdict(generated)
    content["provenance"].setdefault(model, {})["generated"] = dict(provenance)
    _write(content, path)


def _generated(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"generated": entry["generated"]} if "generated" in entry else {}


def _as_dict(calibration: Calibration) -> dict[str, Any]:
    return {name: value for name, value in asdict(calibration).items() if value is not None}


def _write(content: Mapping[str, Any], path: Path) -> None:
    partial = path.with_name(f"{path.name}.part")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def log_odds(probability: float) -> float:
    """Of what is neither impossible nor certain."""
    inside = min(CERTAIN, max(1 - CERTAIN, probability))
    return log(inside / (1 - inside))

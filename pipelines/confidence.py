"""Is there an answer in what was found, and how surely is it right."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Protocol

from pipelines.answering.evidence import weigh
from pipelines.answering.reading import Reading
from pipelines.answering.window import read_closely
from pipelines.calibration import READ, Calibration, calibration_for
from pipelines.types import Hit

COVERED = 0.25
"""Share of a question's words that a passage has to have where the embedding model does not know their language."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`is_answerable` decides before any model is called; `confidence` is the probability of a right answer, 0..1."""

    is_answerable: bool
    confidence: float


class Classifier(Protocol):
    """Reads a question and a text together."""

    def log_odds(self, question: str, text: str) -> float:
        """That the text holds an answer."""
        ...


def read_by(classifier: Classifier | None, reading: Reading) -> float | None:
    """The log-odds of the likeliest sentences' holding an answer; None where nobody can read them."""
    if classifier is None or (text := read_closely(reading)) is None:
        return None
    return classifier.log_odds(reading.retrieval.question.text, text)


def judge(
    reading: Reading,
    calibration: Calibration | None = None,
    languages: Collection[str] | None = None,
    classifier: Classifier | None = None,
) -> Judgement:
    """Without a `calibration` that of the built-in embedding model counts. `languages` are the model's, if not any.

    Asked in another, it finds near what is in that language, whatever it says: then words have to meet. In doubt, the
    `classifier` reads closely.
    """
    if not reading.units:
        return Judgement(is_answerable=False, confidence=0.0)
    models = calibration or calibration_for()
    evidence = asdict(weigh(reading))
    if models.is_doubtful(evidence) and (read := read_by(classifier, reading)) is not None:
        evidence[READ] = read
    answerable, confidence = models.probabilities(evidence)
    is_answerable = answerable >= models.threshold
    if languages is None or reading.language in languages:
        return Judgement(is_answerable, confidence)
    coverage = max(passage.coverage for passage in reading.passages)
    return Judgement(is_answerable and coverage >= COVERED, confidence)


def relevance(hit: Hit, calibration: Calibration | None = None) -> float:
    """Probability that a passage is about what was asked, 0..1, by its cosine alone: comparable between questions."""
    return (calibration or calibration_for()).relevant.probability({"cosine": hit.cosine})

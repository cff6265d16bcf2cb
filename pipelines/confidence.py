"""Is there an answer in what was found, and how surely is it right."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass

from pipelines.answering.evidence import weigh
from pipelines.answering.reading import Reading
from pipelines.calibration import CERTAIN, Calibration, calibration_for
from pipelines.text.languages import detect_language, is_too_short
from pipelines.types import Hit

COVERED = 0.25
"""Share of a question's words that a passage has to have where the embedding model does not know their language."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`is_answerable` decides before any model is called; `confidence` is the probability of a right answer, 0..1."""

    is_answerable: bool
    confidence: float


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

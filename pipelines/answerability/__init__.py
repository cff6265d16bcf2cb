"""Does a text answer a question? A cross-encoder that reads both together, small enough for every question."""

from pipelines.answerability.classifier import AnswerabilityClassifier
from pipelines.answerability.model import load_classifier

__all__ = ["AnswerabilityClassifier", "load_classifier"]

"""Does a text answer a question? A small cross-encoder that reads both together, asked where there is doubt."""

from pipelines.answerability.classifier import AnswerabilityClassifier
from pipelines.answerability.model import load_classifier

__all__ = ["AnswerabilityClassifier", "load_classifier"]

"""Answers as streams of verified claims, with a language model or without."""

from pipelines.answering.service import Answering

__all__ = ["Answering"]

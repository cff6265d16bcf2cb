"""ragas: answers judged by a language model, or compared with gold answers without one. Needs the extra `eval`.

A case that ragas cannot decide, or that fails, is not a number in its row, with the reason beside it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from math import isnan
from typing import Any

from eval import metrics
from eval.judge import Judge, JudgeFailed
from eval.records import Record
from pipelines.embedding import Embedding
from pipelines.text.sentences import sentences

EXTRA = "ragas is not installed: make eval-env, or install the extra `eval`"
REFERENCE, CONTEXTS, GOLD_CONTEXTS = "reference", "retrieved_contexts", "reference_contexts"
NOT_DECIDED = "NaN: ragas made no score of what the judge said"


class RagasMissing(RuntimeError):
    """The extra is not installed, or not as it should be."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Of ragas, by the name it is reported under; `wants` what of a sample has to be there."""

    name: str
    ragas: str
    wants: frozenset[str]


PLAIN = (
    Metric("ragas_string_similarity", "NonLLMStringSimilarity", frozenset({REFERENCE})),
    Metric("ragas_rouge", "RougeScore", frozenset({REFERENCE})),
    Metric("ragas_bleu", "BleuScore", frozenset({REFERENCE})),
    Metric("ragas_context_recall_plain", "NonLLMContextRecall", frozenset({CONTEXTS, GOLD_CONTEXTS})),
    Metric(
        "ragas_context_precision_plain", "NonLLMContextPrecisionWithReference", frozenset({CONTEXTS, GOLD_CONTEXTS})
    ),
)
JUDGED = (
    Metric("ragas_faithfulness", "Faithfulness", frozenset({CONTEXTS})),
    Metric("ragas_answer_relevancy", "ResponseRelevancy", frozenset()),
    Metric("ragas_context_precision", "LLMContextPrecisionWithReference", frozenset({CONTEXTS, REFERENCE})),
    Metric("ragas_context_recall", "LLMContextRecall", frozenset({CONTEXTS, REFERENCE})),
)


@cache
def ragas(module: str = "ragas.metrics") -> Any:
    """One of its modules. Raises RagasMissing."""
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    logging.getLogger("ragas").setLevel(logging.CRITICAL)  # what it says is in the rows
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise RagasMissing(f"{EXTRA} ({error})") from None


def _made(metric: Metric, **parts: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return getattr(ragas(), metric.ragas)(**parts)


async def judged(
    rows: Sequence[Record], texts: Mapping[str, str], judge: Judge | None = None, embedding: Embedding | None = None
) -> list[Record]:
    """The rows with ragas' scores of the answers given; without a `judge` only those that need none."""
    plain = [(metric, _made(metric)) for metric in PLAIN]
    asked = []
    if judge and embedding:
        parts = {"llm": _Model(judge), "embeddings": _Embeddings(embedding)}
        asked = [(metric, _made(metric, **_of(metric, parts))) for metric in JUDGED]
    return await asyncio.gather(*(_row(row, texts, plain, asked) for row in rows))


def _of(metric: Metric, parts: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {"llm", "embeddings"} if metric.ragas == "ResponseRelevancy" else {"llm"}
    return {name: part for name, part in parts.items() if name in wanted}


async def _row(
    row: Record, texts: Mapping[str, str], plain: Sequence[tuple[Metric, Any]], asked: Sequence[tuple[Metric, Any]]
) -> Record:
    if not row.given or row.answer is None:
        return row
    scores: dict[str, float] = {}
    errors: dict[str, str] = {}
    alternatives = _references(row)
    simple = [_plain_sample(row, one, texts) for one in alternatives]
    tasks = [(metric, scorer, simple) for metric, scorer in plain]
    tasks += [(metric, scorer, [_sample(row, alternatives)]) for metric, scorer in asked]
    for metric, scorer, samples in tasks:
        if all(metric.wants <= sample.keys() for sample in samples):
            scores[metric.name], error = await _score(scorer, samples)
            errors |= {metric.name: error} if error else {}
    return replace(row, metrics=row.metrics | scores, judge_errors=row.judge_errors | errors)


def _references(row: Record) -> list[str | None]:
    """Alternatives; a comparison's answers are all needed."""
    if row.type == "comparison" and row.gold_answers:
        return ["; ".join(row.gold_answers)]
    return list(row.gold_answers) or [None]


def _sample(row: Record, alternatives: Sequence[str | None]) -> dict[str, Any]:
    made: dict[str, Any] = {"user_input": row.question, "response": metrics.without_markers(row.answer or "")}
    if row.citations:
        made[CONTEXTS] = [cited.snippet for cited in row.citations]
    known = [one for one in alternatives if one]
    return made | ({REFERENCE: " or: ".join(known)} if known else {})


def _plain_sample(row: Record, reference: str | None, texts: Mapping[str, str]) -> dict[str, Any]:
    """Contexts are sentences: compared as strings, a passage is never like the sentence that it holds."""
    made = _sample(row, [reference])
    made[CONTEXTS] = [one for cited in row.citations for one in _sentences(cited.snippet)]
    gold = [one for document in row.gold_documents for one in _sentences(texts.get(document, ""))]
    holding = [one for one in gold if any(metrics.contains(one, answer) for answer in row.gold_answers)]
    return made | ({GOLD_CONTEXTS: holding} if holding else {})


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


async def _score(scorer: Any, samples: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    """The best over the samples, and an error's text where there is no number."""
    made = ragas("ragas.dataset_schema").SingleTurnSample
    try:
        best = max([float(await scorer.single_turn_ascore(made(**sample))) for sample in samples])
    except Exception as error:  # noqa: BLE001 - whatever ragas raises is this case's failure
        return float("nan"), _told(error)
    return best, NOT_DECIDED if isnan(best) else ""


def _told(error: BaseException) -> str:
    return str(error) if isinstance(error, JudgeFailed) else f"{type(error).__name__}: {str(error)[:300]}"


class _Model:
    """What ragas' prompts ask of a model."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def generate(self, prompt: Any, n: int = 1, temperature: float | None = None, **_: object) -> Any:
        outputs = ragas("langchain_core.outputs")
        wanted = temperature if temperature is not None else 0.3 if n > 1 else 0.0
        texts = [await self._judge.complete(prompt.to_string(), temperature=wanted, sample=at) for at in range(n)]
        return outputs.LLMResult(generations=[[outputs.Generation(text=text) for text in texts]])


class _Embeddings:
    """What ragas' similarity of questions asks of an embedding model."""

    def __init__(self, model: Embedding) -> None:
        self._model = model

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._model.embed_query(text).tolist()
        return vector

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

"""Asks a target all questions of a data set and measures what comes back. A question that fails is a row, no crash."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from eval import metrics
from eval.datasets import Dataset, Question
from eval.metrics import Estimate, estimate
from eval.report import Check
from eval.types import Found, Reply, Target

T = TypeVar("T")
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a question came to: a result, or the error's text."""

    question: Question
    seconds: float
    result: T | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    dataset: str
    documents: int
    estimates: dict[str, Estimate]
    per_question: metrics.Values = field(repr=False)
    median_ms: float
    failed: tuple[str, ...] = ()


async def ask_all(questions: Iterable[Question], ask: Callable[[str], Awaitable[T]]) -> list[Outcome[T]]:
    """One after the other, so that the times are those of a question alone."""
    return [await _ask_one(question, ask) for question in questions]


async def _ask_one(question: Question, ask: Callable[[str], Awaitable[T]]) -> Outcome[T]:
    started = time.perf_counter()
    try:
        result = await ask(question.text)
    except Exception as error:  # noqa: BLE001 - whatever a target raises is this question's failure
        return Outcome(question, time.perf_counter() - started, None, f"{type(error).__name__}: {error}")
    return Outcome(question, time.perf_counter() - started, result)


async def retrieval(dataset: Dataset, target: Target) -> RetrievalReport:
    """Documents ranked for every question that has a gold document."""

    async def search(text: str) -> list[Found]:
        return await target.search(text, DEPTH)

    outcomes = await ask_all(dataset.judged(), search)
    found = {one.question.id: [hit.external_id for hit in one.result] for one in outcomes if one.result}
    gold = {question.id: dataset.gold[question.id] for question in dataset.judged()}
    values = metrics.rankings(gold, found)
    return RetrievalReport(
        dataset=dataset.name,
        documents=len(dataset.documents),
        estimates={name: estimate(by_question.values()) for name, by_question in values.items()},
        per_question=values,
        median_ms=1000 * metrics.median([one.seconds for one in outcomes]),
        failed=failures(outcomes),
    )


def failures(outcomes: Sequence[Outcome[T]]) -> tuple[str, ...]:
    return tuple(f"{one.question.id}: {one.error}" for one in outcomes if one.error)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One question with its answer and what is to be said of it."""

    question: Question
    reply: Reply | None
    error: str
    ms: float
    gold_cited: bool
    f1: float
    contains: bool
    markers: bool
    verbatim: tuple[float, ...]

    @property
    def refused(self) -> bool:
        return self.reply is not None and self.reply.is_refusal


async def answers(dataset: Dataset, target: Target, questions: Sequence[Question] | None = None) -> list[AnswerRow]:
    texts = dataset.texts()
    outcomes = await ask_all(dataset.questions if questions is None else questions, target.ask)
    return [_row(one, dataset, texts) for one in outcomes]


def _row(one: Outcome[Reply], dataset: Dataset, texts: dict[str, str]) -> AnswerRow:
    question, reply = one.question, one.result or Reply("", 0.0)
    text = metrics.without_markers(reply.text)
    wanted = all if question.type == "comparison" else any
    return AnswerRow(
        question=question,
        reply=one.result,
        error=one.error,
        ms=1000 * one.seconds,
        gold_cited=any(cited.external_id in dataset.gold.get(question.id, {}) for cited in reply.citations),
        f1=metrics.token_f1(text, question.answers),
        contains=bool(question.answers) and wanted(metrics.contains(text, answer) for answer in question.answers),
        markers=one.result is not None and metrics.markers_match(reply),
        verbatim=tuple(metrics.snippets_verbatim(reply, texts)),
    )


def share(values: Iterable[bool | float]) -> float:
    return estimate(float(value) for value in values).mean


def answer_checks(rows: Sequence[AnswerRow]) -> list[Check]:
    """What is promised of the handbook, and what else tells good answers from bad ones."""
    answerable = [row for row in rows if row.question.answerable]
    unanswerable = [row for row in rows if not row.question.answerable]
    near = [row for row in unanswerable if row.question.kind == "near-miss"]
    other = [row for row in unanswerable if row.question.kind == "other"]
    given = [row for row in answerable if row.reply and not row.refused]
    lengths = [float(len(metrics.words(metrics.without_markers(row.reply.text)))) for row in given if row.reply]
    return [
        Check(name="answerable: gold document cited", value=share(r.gold_cited for r in answerable), at_least=0.92),
        Check(name="answerable: refused", value=share(r.refused for r in answerable)),
        Check(name="unanswerable: refused", value=share(r.refused for r in unanswerable), at_least=0.70),
        Check(name="near misses: refused", value=share(r.refused for r in near)),
        Check(name="others: refused", value=share(r.refused for r in other), at_least=0.95),
        Check(name="snippets verbatim", value=share(v for r in rows for v in r.verbatim), at_least=1.0),
        Check(name="markers matched", value=share(r.markers for r in rows), at_least=1.0),
        Check(name="answers given: contain the gold answer", value=share(r.contains for r in given)),
        Check(name="answers given: token F1", value=share(r.f1 for r in given)),
        Check(name="answers given: words, median", value=metrics.median(lengths)),
        Check(name="time, median", value=metrics.median([row.ms for row in rows]), unit="ms"),
        Check(name="questions", value=len(rows)),
        Check(name="failed", value=sum(bool(row.error) for row in rows), at_most=0.0),
    ]

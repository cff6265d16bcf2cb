"""Asks a target all questions of its suites. A question that fails is a row, no crash; what is done is not repeated."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval import metrics, provenance, scoring
from eval.datasets import Dataset, Question
from eval.journal import Journal
from eval.measures import columns_of, estimates
from eval.records import FollowUp, Record, Run, SuiteResult
from eval.reliability import diagram
from eval.suites import fingerprint
from eval.types import Reply, Target, TargetUnavailable

RETRIEVAL, ANSWERS, FOLLOW_UPS = "retrieval", "answers", "follow-ups"
PARTS = (RETRIEVAL, ANSWERS, FOLLOW_UPS)
DEPTH = 10
NO_ROUGE = "rouge_l was not measured: rouge-score is not installed (make eval-env, then .venv-eval/bin/python -m eval)"

Opened = Callable[[Dataset], AbstractAsyncContextManager[Target]]
Judged = Callable[[Sequence[Record], Mapping[str, str]], Awaitable[list[Record]]]
"""Rows and the documents' texts into rows with a judge's scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run. `settings`: target, mode, configuration: whatever else has to be the same to be the same run."""

    suites: tuple[Dataset, ...]
    parts: frozenset[str] = frozenset(PARTS)
    seed: int = 0
    limit: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def provenance(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "limit": self.limit,
            "parts": sorted(self.parts),
            **self.settings,
            "versions": provenance.versions(),
            "library_sha256": provenance.sources("pipelines"),
            "evaluation_sha256": provenance.sources("eval"),
            "git": provenance.commit(),
        }

    def identity(self) -> dict[str, Any]:
        return {**self.provenance(), "data": {suite.name: fingerprint(suite) for suite in self.suites}}


async def run(
    plan: Plan, opened: Opened, out: Path, *, judged: Judged | None = None, tell: Callable[[str], None] = lambda _: None
) -> Run:
    """The run; its rows are kept in a journal beside `out` until the caller has saved it. Raises TargetUnavailable."""
    journal = Journal(journal_of(out), plan.identity())
    began = datetime.now(UTC).isoformat(timespec="seconds")
    rows: list[Record] = []
    for suite in plan.suites:
        own = await _rows(plan, suite, opened, journal, tell)
        rows += await judged(own, suite.texts()) if judged else own
    notes = (NO_ROUGE,) if ANSWERS in plan.parts and not scoring.rouge() else ()
    return summed(plan, rows, {"began": began, **plan.provenance()}, notes)


def journal_of(out: Path) -> Path:
    return out.with_suffix(".jsonl")


async def _rows(
    plan: Plan, suite: Dataset, opened: Opened, journal: Journal, tell: Callable[[str], None]
) -> list[Record]:
    """In the order of the questions."""
    rows = {row.id: row for row in journal.rows.values() if row.suite == suite.name}
    missing = [question for question in _questions(plan, suite) if question.id not in rows]
    if missing:
        tell(f"{suite.name}: {len(suite.documents)} documents, {len(missing)} questions to ask …")
        async with aclosing(_asked(plan, suite, missing, opened)) as asked:
            async for row in asked:
                journal.append(row)
                rows[row.id] = row
    return [rows[question.id] for question in _questions(plan, suite)]


def _questions(plan: Plan, suite: Dataset) -> Sequence[Question]:
    return suite.judged() if plan.parts == {RETRIEVAL} else suite.questions


async def _asked(
    plan: Plan, suite: Dataset, questions: Sequence[Question], opened: Opened
) -> AsyncGenerator[Record, None]:
    """One after the other, so that the times are those of a question alone."""
    left = list(questions)
    try:
        async with opened(suite) as target:
            asker = _Asker(plan, suite, target)
            while left:
                yield await asker.row(left.pop(0))
    except TargetUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - documents that cannot be put in are the failure of all their questions
        for question in left:
            yield _scored(plan, suite, _record(suite, question, error=told(error)), question)


def told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _record(suite: Dataset, question: Question, **more: Any) -> Record:
    return Record(
        suite=suite.name,
        id=question.id,
        question=question.text,
        answerable=question.answerable,
        kind=question.kind,
        type=question.type,
        gold_answers=question.answers,
        gold_documents=suite.gold.get(question.id, {}),
        **more,
    )


class _Asker:
    def __init__(self, plan: Plan, suite: Dataset, target: Target) -> None:
        self._plan = plan
        self._suite = suite
        self._target = target
        self._texts = suite.texts()
        self._follow_ups: dict[str, FollowUp] = {}

    async def row(self, question: Question) -> Record:
        """Asked before it is searched for: a target may remember the question, and the time is that of the answer."""
        record, reply = _record(self._suite, question), None
        started = self._clock()
        try:
            if ANSWERS in self._plan.parts:
                reply = await self._target.ask(question.text)
                record = replace(_answered(record, reply), seconds=self._clock() - started)
            if RETRIEVAL in self._plan.parts and record.gold_documents:
                found = await self._target.search(question.text, DEPTH)
                record = replace(record, found=tuple(one.external_id for one in found))
            if FOLLOW_UPS in self._plan.parts and reply:
                asked = [await self._follow_up(one) for one in reply.related_questions]
                record = replace(record, follow_ups=tuple(asked))
        except TargetUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a target raises is this question's failure
            record = replace(record, error=told(error))
        record = replace(record, seconds=record.seconds or self._clock() - started)
        return _scored(self._plan, self._suite, record, question, reply, self._texts)

    def _clock(self) -> float:
        """Seconds, which stand still while the target has us wait."""
        return time.perf_counter() - self._target.waited

    async def _follow_up(self, question: str) -> FollowUp:
        if question not in self._follow_ups:
            try:
                reply = await self._target.ask(question)
                self._follow_ups[question] = FollowUp(question, reply.confidence, reply.is_refusal)
            except Exception as error:  # noqa: BLE001 - the same
                return FollowUp(question, error=told(error))
        return self._follow_ups[question]


def _answered(record: Record, reply: Reply) -> Record:
    return replace(
        record,
        answer=reply.text,
        confidence=reply.confidence,
        refused=reply.is_refusal,
        citations=reply.citations,
    )


def _scored(
    plan: Plan,
    suite: Dataset,
    record: Record,
    question: Question,
    reply: Reply | None = None,
    texts: Mapping[str, str] | None = None,
) -> Record:
    measured: dict[str, float] = {}
    if RETRIEVAL in plan.parts and record.gold_documents:
        measured |= _ranking(record)
    if ANSWERS in plan.parts:
        measured |= scoring.scores(question, record.gold_documents, reply, texts or {})
    measured |= scoring.of_follow_ups(record.question, record.follow_ups)
    return replace(record, metrics=measured | {"failed": float(bool(record.error))})


def _ranking(record: Record) -> dict[str, float]:
    values = metrics.rankings({record.id: record.gold_documents}, {record.id: record.found})
    return {name: by_question[record.id] for name, by_question in values.items()}


def summed(plan: Plan, rows: Sequence[Record], origin: Mapping[str, Any], notes: Sequence[str] = ()) -> Run:
    """Rows with what they come to."""
    results = tuple(
        _result(suite, [row for row in rows if row.suite == suite.name], plan.seed) for suite in plan.suites
    )
    return Run(provenance=dict(origin), suites=results, rows=tuple(rows), notes=tuple(notes))


def _result(suite: Dataset, rows: Sequence[Record], seed: int) -> SuiteResult:
    columns = columns_of(rows)
    known = columns["correct"] == columns["correct"]
    return SuiteResult(
        name=suite.name,
        documents=len(suite.documents),
        questions=len(suite.questions),
        asked=len(rows),
        data_sha256=fingerprint(suite),
        measures=estimates(rows, seed),
        judge_failed=dict(Counter(name for row in rows for name in row.judge_errors)),
        reliability=tuple(asdict(one) for one in diagram(columns["confidence"][known], columns["correct"][known])),
    )

"""What a run leaves: a record for each question, and a versioned JSON file of them with where they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from eval.metrics import Estimate
from eval.report import finite, write_json
from eval.types import Cited

SCHEMA = 1


class RunFileError(ValueError):
    """The file is no run that this version reads; the message says why."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A related question that was asked in turn."""

    question: str
    confidence: float = 0.0
    refused: bool = True
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One question, what came back, what was wanted, and what is to be said of it. `metrics` has NaN for null."""

    suite: str
    id: str
    question: str
    answerable: bool = True
    kind: str = ""
    type: str = ""
    gold_answers: tuple[str, ...] = ()
    gold_documents: Mapping[str, int] = field(default_factory=dict)
    answer: str | None = None
    confidence: float | None = None
    refused: bool = False
    citations: tuple[Cited, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    found: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    judge_errors: dict[str, str] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        return self.suite, self.id

    @property
    def given(self) -> bool:
        """An answer, and not the statement that there is none."""
        return self.answer is not None and not self.refused

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Self:
        kept = {one.name: raw[one.name] for one in fields(cls) if one.name in raw}
        kept |= {"gold_answers": tuple(raw.get("gold_answers", ())), "found": tuple(raw.get("found", ()))}
        kept["citations"] = tuple(Cited(**one) for one in raw.get("citations", ()))
        kept["follow_ups"] = tuple(FollowUp(**one) for one in raw.get("follow_ups", ()))
        kept["metrics"] = {name: _number(value) for name, value in raw.get("metrics", {}).items()}
        return cls(**kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """A suite's measures; `judge_failed` counts the cases that a judge could not decide, by measure."""

    name: str
    documents: int
    questions: int
    asked: int
    data_sha256: str
    measures: dict[str, Estimate]
    judge_failed: dict[str, int] = field(default_factory=dict)
    reliability: tuple[Mapping[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The file. `provenance`: time, seed, versions, code, commit, target, configuration, limit."""

    provenance: dict[str, Any]
    suites: tuple[SuiteResult, ...]
    rows: tuple[Record, ...]
    notes: tuple[str, ...] = ()

    def of(self, suite: str) -> list[Record]:
        return [row for row in self.rows if row.suite == suite]


def save(run: Run, path: Path) -> None:
    write_json(path, {"schema": SCHEMA, **{one.name: getattr(run, one.name) for one in fields(run)}})


def load_run(path: Path) -> Run:
    """Raises RunFileError."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RunFileError(f"{path}: cannot be read: {error}") from None
    try:
        raw = json.loads(content)
        if not isinstance(raw, dict) or raw.get("schema") != SCHEMA:
            raise RunFileError(f"{path}: not a run of schema {SCHEMA}")
        return _run(raw)
    except json.JSONDecodeError:
        raise RunFileError(f"{path}: not a finished run; the command that began one goes on with it") from None
    except (ValueError, KeyError, TypeError) as error:
        raise RunFileError(str(error) if isinstance(error, RunFileError) else f"{path}: {error!r}") from None


def _run(raw: Mapping[str, Any]) -> Run:
    return Run(
        provenance=raw["provenance"],
        suites=tuple(_suite(one) for one in raw["suites"]),
        rows=tuple(Record.from_dict(one) for one in raw["rows"]),
        notes=tuple(raw.get("notes", ())),
    )


def _suite(raw: Mapping[str, Any]) -> SuiteResult:
    measures = {
        name: Estimate(**{part: _number(value) for part, value in one.items() if part != "count"}, count=one["count"])
        for name, one in raw["measures"].items()
    }
    return SuiteResult(**{**raw, "measures": measures, "reliability": tuple(raw["reliability"])})


def _number(value: float | None) -> float:
    """JSON has no NaN: it is null there."""
    return float("nan") if value is None else float(value)


def as_line(record: Record) -> str:
    """One line of JSON, NaN as null."""
    return json.dumps(finite(record), ensure_ascii=False, allow_nan=False)

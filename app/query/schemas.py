"""Questions as they come over the wire, answers as they go back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pipelines.types import Answer, Citation, DocumentHit, Scope, SearchResult

LONGEST_QUESTION = 2000
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not DAY.fullmatch(value):
        raise ValueError("must be a day, written YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a day that exists") from None


def _trimmed(value: Any) -> Any:
    """Without white space around, and without signs that nobody sees."""
    if not isinstance(value, str):
        return value
    return "" if all(map(_is_invisible, value)) else value.strip()


def _is_invisible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")


def _or_empty(value: Any) -> Any:
    """`null` is as if absent."""
    return {} if value is None else value


Day = Annotated[date, BeforeValidator(_day), Field(json_schema_extra={"example": "2026-01-31"})]
QuestionText = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION), BeforeValidator(_trimmed)]


class DateRange(BaseModel):
    """Calendar days in UTC, both included; either may be absent."""

    model_config = ConfigDict(strict=True, extra="forbid")

    start: Day | None = None
    end: Day | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start and self.end and self.start > self.end:
            raise ValueError("start must not be after end")
        return self


class Filters(BaseModel):
    """A misspelt filter must not widen a search: unknown members are refused."""

    model_config = ConfigDict(strict=True, extra="forbid")

    sources: Annotated[list[str], Field(max_length=1000)] | None = None
    date_range: DateRange | None = Field(default=None, alias="dateRange")

    def narrow(self, scope: Scope) -> Scope:
        days = self.date_range or DateRange()
        return replace(scope, sources=frozenset(self.sources or ()), start=days.start, end=days.end)


class QueryOptions(BaseModel):
    model_config = ConfigDict(strict=True)

    stream: bool | None = None
    max_citations: Annotated[int, Field(ge=1, le=20)] | None = None


class SearchOptions(BaseModel):
    model_config = ConfigDict(strict=True)

    limit: Annotated[int, Field(ge=1, le=100)] | None = None


class _Asked(BaseModel):
    question: QuestionText
    filters: Filters | None = None

    def scope(self, whole: Scope) -> Scope:
        return self.filters.narrow(whole) if self.filters else whole


class Query(_Asked):
    model_config = ConfigDict(
        strict=True,
        json_schema_extra={
            "example": {
                "question": "How long is parental leave?",
                "filters": {"sources": ["wiki"], "dateRange": {"start": "2026-01-01"}},
                "options": {"stream": False, "max_citations": 5},
            }
        },
    )

    options: Annotated[QueryOptions, BeforeValidator(_or_empty)] = QueryOptions()


class Search(_Asked):
    model_config = ConfigDict(
        strict=True, json_schema_extra={"example": {"question": "parental leave", "options": {"limit": 10}}}
    )

    options: Annotated[SearchOptions, BeforeValidator(_or_empty)] = SearchOptions()


def code_of(errors: Sequence[Any]) -> str:
    """MISSING_QUESTION before INVALID_FILTER before INVALID_REQUEST."""
    codes = {_code(error) for error in errors}
    return next(code for code in ("MISSING_QUESTION", "INVALID_FILTER", "INVALID_REQUEST") if code in codes)


def _code(error: Any) -> str:
    match error["loc"][:1]:
        case ("question",) if error["type"] != "string_too_long":
            return "MISSING_QUESTION"
        case ("filters",):
            return "INVALID_FILTER"
    return "INVALID_REQUEST"


def citation(cited: Citation) -> dict[str, Any]:
    return {
        "id": cited.document_id,
        "title": cited.title,
        "source": cited.source,
        "url": cited.url,
        "snippet": cited.snippet,
        "relevance": round(cited.relevance, 4),
        "metadata": cited.metadata,
    }


def evidence(answer: Answer) -> dict[str, Any]:
    """What goes with an answer's text."""
    return {
        "citations": [citation(cited) for cited in answer.citations],
        "confidence": round(answer.confidence, 4),
        "related_questions": answer.related_questions,
    }


def results(found: SearchResult) -> list[dict[str, Any]]:
    return [_result(hit) for hit in found.hits]


def _result(hit: DocumentHit) -> dict[str, Any]:
    return {
        "id": hit.document_id,
        "title": hit.title,
        "source": hit.source,
        "external_id": hit.external_id,
        "url": hit.url,
        "snippet": hit.snippet,
        "score": hit.score,
        "metadata": hit.metadata,
    }

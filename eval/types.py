"""What is asked of a target of evaluation and what comes back: the same for the library and for a service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from pipelines.types import NewDocument


class TargetError(RuntimeError):
    """The target refused or failed; the message says what it said."""


class TargetUnavailable(TargetError):
    """Nothing of a run would come of it: there is no service, or it does not let us in."""


@dataclass(frozen=True, slots=True)
class Filters:
    sources: tuple[str, ...] = ()
    start: date | None = None
    end: date | None = None


EVERYTHING = Filters()


@dataclass(frozen=True, slots=True)
class Found:
    external_id: str
    snippet: str
    score: float


@dataclass(frozen=True, slots=True)
class Cited:
    external_id: str
    snippet: str
    relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    confidence: float
    citations: tuple[Cited, ...] = ()
    related_questions: tuple[str, ...] = ()

    @property
    def is_refusal(self) -> bool:
        return not self.citations


class Target(Protocol):
    """External ids tell documents apart: they are to be unique over all sources."""

    waited: float
    """Seconds that calls have waited so far because the target asked them to come later."""

    async def ingest(self, documents: Sequence[NewDocument]) -> None:
        """Returns when all are searchable. What is there unchanged costs next to nothing. Raises TargetError."""
        ...

    async def search(self, question: str, limit: int = 10, filters: Filters = EVERYTHING) -> list[Found]:
        """Documents, best first."""
        ...

    async def ask(self, question: str, max_citations: int | None = None, filters: Filters = EVERYTHING) -> Reply: ...

    async def close(self) -> None: ...

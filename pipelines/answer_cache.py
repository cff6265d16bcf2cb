"""Answers that are given again as long as nothing has changed in the organization's knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from pipelines.lru_cache import LruCache
from pipelines.types import Answer, Delta, Moment, Scope

REMEMBERED = 1024
LARGEST = 32_000
"""Characters of a question with its filters and its answer: callers choose how long they are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All that an answer without a model depends on, beside the knowledge base itself."""

    question: str
    scope: Scope
    max_citations: int

    @property
    def size(self) -> int:
        return len(self.question) + sum(map(len, self.scope.sources))


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as it is streamed, and the moment of the knowledge base that it was made of, if that is one."""

    moment: Moment | None
    events: Sequence[Delta | Answer]

    @property
    def size(self) -> int:
        return len(repr(self.events))

    def copied(self) -> KeptAnswer:
        """With metadata that its reader may change: they are all of it that can be."""
        return replace(self, events=tuple(map(_copied, self.events)))


def _copied(event: Delta | Answer) -> Delta | Answer:
    if isinstance(event, Delta) or not any(citation.metadata for citation in event.citations):
        return event
    citations = (replace(citation, metadata=deepcopy(citation.metadata)) for citation in event.citations)
    return replace(event, citations=tuple(citations))


class AnswerCache:
    """The last answers, for one thread. One counts only while its organization is still at its moment."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._kept: LruCache[Asked, KeptAnswer] = LruCache(remembered)

    def get(self, asked: Asked) -> KeptAnswer | None:
        kept = self._kept.get(asked)
        return kept.copied() if kept else None

    def keep(self, asked: Asked, answer: KeptAnswer) -> None:
        """Nothing of a long one."""
        if asked.size + answer.size <= LARGEST:
            self._kept.put(asked, answer.copied())

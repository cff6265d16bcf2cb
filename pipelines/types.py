"""The plain data types that everything in the library is said with. Imports nothing of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Metadata = Mapping[str, Any]
Vector = NDArray[np.float32]
"""A unit-length embedding, shape (dimension,)."""
Moment = tuple[int, int]
"""Of an organization's knowledge base: the generation of its indexes and the number of its last change."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller may see now: one organization, narrowed by its filters. Nothing is searched without one.

    `sources` empty means every source; `start` and `end` are inclusive calendar days, UTC.
    """

    organization_id: UUID
    sources: frozenset[str] = frozenset()
    start: date | None = None
    end: date | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.organization_id, UUID) or self.organization_id.int == 0:
            raise ValueError("a scope names one organization by its UUID")
        if self.start and self.end and self.start > self.end:
            raise ValueError("a scope's start is not after its end")

    @property
    def is_filtered(self) -> bool:
        return bool(self.sources or self.start or self.end)

    def allows(self, source: str, day: date) -> bool:
        return (
            (not self.sources or source in self.sources)
            and (self.start is None or day >= self.start)
            and (self.end is None or day <= self.end)
        )


class DocumentStatus(StrEnum):
    PENDING = "pending"
    INDEXED = "indexed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document as it comes in; `(source, external_id)` is its key in the organization."""

    source: str
    external_id: str
    title: str
    content: str
    url: str | None = None
    metadata: Metadata | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it is kept: its newest version, searchable when `status` is indexed."""

    id: UUID
    source: str
    external_id: str
    title: str
    content: str
    url: str | None
    metadata: Metadata
    status: DocumentStatus
    error: str | None
    revision: int
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A slice of a document's current version: `text == content[start:end]`, verbatim."""

    id: int
    document_id: UUID
    position: int
    start: int
    end: int
    text: str
    context: str
    """Title and headings, joined by " › ": searched and embedded with the text, never shown as part of it."""
    language: str = "en"
    pieces: bytes | None = field(default=None, repr=False, compare=False)
    """The text taken apart beforehand, see `pipelines.answering.pieces`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that was found, with what its document says of itself and the evidence for it."""

    passage: Passage
    title: str
    source: str
    external_id: str
    url: str | None
    metadata: Metadata
    day: date
    score: float
    """Fused score, 0..1, comparable only within one retrieval."""
    cosine: float
    """Cosine of question and passage vectors, -1..1."""
    bm25: float
    """BM25 score of the question's terms, 0 where none occurs."""

    @property
    def document_id(self) -> UUID:
        return self.passage.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what was computed of it once."""

    text: str
    vector: Vector
    term_weights: Mapping[str, float]
    """Each distinct search token of the question (stemmed, without stop words) with its inverse document frequency
    in the organization's index (0 when the index does not know the token)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What was found for a question under a scope: passages, best first."""

    question: Question
    scope: Scope
    hits: tuple[Hit, ...]
    documents_searched: int
    """Documents in scope, exact."""
    moment: Moment | None = None
    """When it was begun; what was found may be newer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    document_id: UUID
    title: str
    source: str
    url: str | None
    snippet: str
    """Verbatim text of the document's current version."""
    relevance: float
    """The passage's own, 0..1, comparable between questions."""
    metadata: Metadata
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of an answer's text while it is streamed."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer whose markers `[n]` name `citations[n - 1]`, each and only those."""

    text: str
    confidence: float
    citations: tuple[Citation, ...] = ()
    related_questions: tuple[str, ...] = ()
    documents_searched: int = 0

    @property
    def documents_used(self) -> int:
        return len({citation.document_id for citation in self.citations})


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentHit:
    """One document of a search, ranked by its best passage."""

    document_id: UUID
    title: str
    source: str
    external_id: str
    url: str | None
    snippet: str
    score: float
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[DocumentHit, ...] = field(default=())
    documents_searched: int = 0


class Unchanged(Enum):
    """Says 'leave it as it is' where None means 'clear it'."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True, slots=True)
class Put:
    """What became of a document that was put: `created` is False for an update of one that was there."""

    document: Document
    created: bool


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Newest first, without content (`content` is empty)."""

    documents: tuple[Document, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """Database, Chroma and lexical index compared; passages by count."""

    organization_id: UUID
    documents: int
    pending: int
    failed: int
    passages: int
    vectors: int
    lexical: int
    differences: tuple[str, ...]
    """One sentence each; empty when all three agree."""
    repaired: bool = False

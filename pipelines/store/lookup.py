"""What the indexes find is looked up here before it is used: only current passages of the organization come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, and_, bindparam, select

from pipelines.store.changes import unpack
from pipelines.store.tables import documents, passages, revisions
from pipelines.types import Metadata, Passage, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A current passage with its vector and what its document's current version says of itself."""

    passage: Passage
    vector: Vector
    title: str
    source: str
    external_id: str
    url: str | None
    metadata: Metadata
    day: date


CURRENT = (
    select(
        passages.c["id", "document_id", "position", "start", "end", "text", "context", "vector"],
        documents.c.organization_id,
        documents.c.source,
        documents.c.external_id,
        revisions.c.title,
        revisions.c.url,
        revisions.c.metadata,
        revisions.c.day,
        revisions.c.language,
    )
    .join(
        documents,
        and_(documents.c.id == passages.c.document_id, documents.c.current_revision == passages.c.revision),
    )
    .join(
        revisions,
        and_(revisions.c.document_id == passages.c.document_id, revisions.c.revision == passages.c.revision),
    )
    .where(passages.c.id.in_(bindparam("ids", expanding=True)))
)


def lookup(connection: Connection, organization_id: UUID, ids: Sequence[int]) -> dict[int, Found]:
    """Current passages by id, in any order; ids that are no longer (or never were) the organization's are left out."""
    if not ids:
        return {}
    rows = connection.execute(CURRENT, {"ids": list(ids)})
    # Compared here: with the organization among its conditions SQLite begins with all of the organization's documents.
    return {row.id: _found(row) for row in rows if row.organization_id == organization_id}


def _found(row: Row[Any]) -> Found:
    passage = Passage(
        id=row.id,
        document_id=row.document_id,
        position=row.position,
        start=row.start,
        end=row.end,
        text=row.text,
        context=row.context,
        language=row.language,
    )
    return Found(
        passage=passage,
        vector=unpack(row.vector),
        title=row.title,
        source=row.source,
        external_id=row.external_id,
        url=row.url,
        metadata=row.metadata,
        day=row.day,
    )

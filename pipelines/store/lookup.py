"""What the indexes find is looked up here before it is used: only current passages of the organization come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Text, and_, bindparam, cast, select

from pipelines.store.tables import documents, passages, revisions
from pipelines.types import Hit, Passage

Found = Row[*tuple[Any, ...]]
"""A current passage and what its document's current version says of itself; see `to_hit`."""

CURRENT = (
    select(
        *passages.c["id", "document_id", "position", "start", "end", "text", "context"],
        *documents.c["organization_id", "source", "external_id"],
        *revisions.c["title", "url", "day", "language"],
        cast(revisions.c.metadata, Text).label("metadata"),  # parsed for those that are kept
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

VECTORS = select(passages.c.id, passages.c.vector).where(passages.c.id.in_(bindparam("ids", expanding=True)))


def lookup(connection: Connection, organization_id: UUID, ids: Sequence[int]) -> dict[int, Found]:
    """Current passages by id, in any order; ids that are no longer (or never were) the organization's are left out."""
    if not ids:
        return {}
    rows = connection.execute(CURRENT, {"ids": list(ids)})
    # Compared here: with the organization among its conditions SQLite begins with all of the organization's documents.
    return {row.id: row for row in rows if row.organization_id == organization_id}


def vectors(connection: Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Of passages by id, as they are stored."""
    rows = connection.execute(VECTORS, {"ids": list(ids)})
    return {row.id: row.vector for row in rows}


def stacked(stored: Mapping[int, bytes]) -> NDArray[np.float32]:
    """Shape (n, dimension)."""
    return np.frombuffer(b"".join(stored.values()), np.float16).reshape(len(stored), -1).astype(np.float32)


def to_hit(row: Found, score: float, cosine: float, bm25: float) -> Hit:
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
    return Hit(
        passage=passage,
        title=row.title,
        source=row.source,
        external_id=row.external_id,
        url=row.url,
        metadata=orjson.loads(row.metadata),
        day=row.day,
        score=score,
        cosine=cosine,
        bm25=bm25,
    )

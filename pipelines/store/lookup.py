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
        *passages.c["id", "document_id", "position", "start", "end", "text", "context", "pieces"],
        # Compared, not selected by: then SQLite would begin with all of the organization's documents.
        (documents.c.organization_id == bindparam("organization_id")).label("is_own"),
        *documents.c["source", "external_id"],
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
    rows = connection.execute(CURRENT, {"ids": list(ids), "organization_id": organization_id}).all()
    return {row[0]: row for row in rows if row.is_own}


def vectors(connection: Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Of passages by id, as they are stored."""
    rows = connection.execute(VECTORS, {"ids": list(ids)})
    return {row.id: row.vector for row in rows}


def stacked(stored: Mapping[int, bytes]) -> NDArray[np.float32]:
    """Shape (n, dimension)."""
    return np.frombuffer(b"".join(stored.values()), np.float16).reshape(len(stored), -1).astype(np.float32)


def to_hit(row: Found, score: float, cosine: float, bm25: float) -> Hit:
    passage_id, document_id, position, start, end, text, context, pieces, _, *described = row
    source, external_id, title, url, day, language, metadata = described
    return Hit(
        passage=Passage(
            id=passage_id,
            document_id=document_id,
            position=position,
            start=start,
            end=end,
            text=text,
            context=context,
            language=language,
            pieces=pieces,
        ),
        title=title,
        source=source,
        external_id=external_id,
        url=url,
        metadata=orjson.loads(metadata),
        day=day,
        score=score,
        cosine=cosine,
        bm25=bm25,
    )

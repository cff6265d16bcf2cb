"""An organization's changes are numbered; whoever keeps an index of its passages follows the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import Connection, Row, and_, bindparam, delete, func, select, tuple_, update

from pipelines.store import dialects
from pipelines.store.tables import changes, documents, indexes, passages, revisions
from pipelines.types import Moment, Vector

BATCH = 64
"""Documents a step."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an organization's indexes have to be; `change` is the number that they must have followed."""

    organization_id: UUID
    change: int
    generation: int
    fingerprint: str
    documents: int

    @property
    def moment(self) -> Moment:
        return self.generation, self.change


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPassage:
    """What an index needs to know of a passage."""

    id: int
    document_id: UUID
    source: str
    day: date
    language: str
    text: str
    context: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Step:
    """Changes behind number `after`, up to and with `number`: take out what is held of `stale` documents, put in
    `passages`."""

    after: int
    number: int
    stale: tuple[UUID, ...]
    passages: tuple[IndexedPassage, ...]


STATE = select(indexes).where(indexes.c.organization_id == bindparam("organization_id"))
"""Made once: it is the first statement of every question."""


def state(connection: Connection, organization_id: UUID) -> IndexState | None:
    row = connection.execute(STATE, {"organization_id": organization_id}).one_or_none()
    return IndexState(*row) if row else None


def ensure(connection: Connection, organization_id: UUID, fingerprint: str) -> None:
    """The organization's row, made at its first document."""
    values = {"organization_id": organization_id, "fingerprint": fingerprint}
    connection.execute(dialects.insert(connection, indexes).values(**values).on_conflict_do_nothing())


def note(connection: Connection, organization_id: UUID, changed: Mapping[UUID, bool], *, documents: int) -> int:
    """Numbers the changes of these documents (value: an index may hold older passages of it). Returns the last number.

    The organization's row stays locked until the commit, so numbers become visible in order.
    """
    counted = (
        update(indexes)
        .where(indexes.c.organization_id == organization_id)
        .values(change=indexes.c.change + len(changed), documents=indexes.c.documents + documents)
        .returning(indexes.c.change)
    )
    last = (connection.execute(counted)).scalar()
    if not changed or last is None:
        return last or 0
    rows = [
        {"organization_id": organization_id, "document_id": document_id, "number": last - offset, "replaces": replaces}
        for offset, (document_id, replaces) in enumerate(changed.items())
    ]
    statement = dialects.insert(connection, changes)
    replaces = changes.c.replaces | statement.excluded.replaces
    update_set = {"number": statement.excluded.number, "replaces": replaces}
    conflict = statement.on_conflict_do_update(index_elements=["organization_id", "document_id"], set_=update_set)
    connection.execute(conflict, rows)
    return int(last)


def restart(connection: Connection, organization_id: UUID, fingerprint: str) -> None:
    """A new generation of indexes without any passages, for vectors of another model."""
    connection.execute(delete(changes).where(changes.c.organization_id == organization_id))
    values = {"fingerprint": fingerprint, "documents": 0}
    _next_generation(connection, organization_id, values)


def next_generation(connection: Connection, organization_id: UUID, built: int) -> bool:
    """Turns to indexes that were built beside the present ones; False when somebody else has turned them meanwhile."""
    return _next_generation(connection, organization_id, {}, indexes.c.generation == built - 1)


def _next_generation(connection: Connection, organization_id: UUID, values: dict[str, Any], *conditions: Any) -> bool:
    turned = (
        update(indexes)
        .where(indexes.c.organization_id == organization_id, *conditions)
        .values(generation=indexes.c.generation + 1, **values)
    )
    return bool((connection.execute(turned)).rowcount)


def recount(connection: Connection, organization_id: UUID) -> None:
    """Sets the number of searchable documents right."""
    mine = (documents.c.organization_id == organization_id, documents.c.current_revision.is_not(None))
    counted = select(func.count()).select_from(documents).where(*mine).scalar_subquery()
    connection.execute(update(indexes).where(indexes.c.organization_id == organization_id).values(documents=counted))


def step(connection: Connection, organization_id: UUID, after: int) -> Step | None:
    """The next changes behind number `after`, or None."""
    following = (
        select(changes)
        .where(changes.c.organization_id == organization_id, changes.c.number > after)
        .order_by(changes.c.number)
        .limit(BATCH)
    )
    rows = (connection.execute(following)).all()
    if not rows:
        return None
    found = _current_passages(connection, [row.document_id for row in rows])
    stale = tuple(row.document_id for row in rows if row.replaces)
    return Step(after, rows[-1].number, stale, tuple(_indexed(row) for row in found))


def _current_passages(connection: Connection, ids: Sequence[UUID]) -> Sequence[Any]:
    statement = (
        select(
            passages.c.id,
            passages.c.document_id,
            documents.c.source,
            revisions.c.day,
            revisions.c.language,
            passages.c.text,
            passages.c.context,
            passages.c.vector,
        )
        .join(documents, and_(documents.c.id == passages.c.document_id, _is_current()))
        .join(revisions, _same_revision())
        .where(passages.c.document_id.in_(ids))
        .order_by(passages.c.id)
    )
    return (connection.execute(statement)).all()


def _is_current() -> Any:
    return documents.c.current_revision == passages.c.revision


def _same_revision() -> Any:
    return tuple_(revisions.c.document_id, revisions.c.revision) == tuple_(passages.c.document_id, passages.c.revision)


def _indexed(row: Row[Any]) -> IndexedPassage:
    values = dict(row._mapping)
    return IndexedPassage(**values | {"vector": unpack(row.vector)})


def pack(vector: Vector) -> bytes:
    """Half precision: a thousandth of a cosine at most, half the room."""
    return vector.astype(np.float16).tobytes()


def unpack(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype=np.float16).astype(np.float32)

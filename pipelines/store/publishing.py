"""From an accepted revision to the current one: what is to be indexed, and the transaction that makes it current."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, insert, or_, select, tuple_, update

from pipelines.store import changes
from pipelines.store.leases import Job, held
from pipelines.store.tables import documents, passages, revisions
from pipelines.types import DocumentStatus


@dataclass(frozen=True, slots=True)
class Draft:
    """A revision that is to be split and embedded."""

    job: Job
    title: str
    content: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPassage:
    position: int
    start: int
    end: int
    text: str
    context: str
    digest: bytes
    vector: bytes
    pieces: bytes


@dataclass(frozen=True, slots=True)
class Built:
    """A revision's passages, ready to be made current."""

    job: Job
    language: str
    splitter: str
    passages: Sequence[NewPassage]


def drafts(connection: Connection, jobs: Sequence[Job]) -> list[Draft]:
    """What is still to be done of these jobs: removed and superseded ones are left out."""
    by_id = {job.document_id: job for job in jobs}
    statement = (
        select(documents.c.id, documents.c.attempts, revisions.c.revision, revisions.c.title, revisions.c.content)
        .join(revisions, revisions.c.document_id == documents.c.id)
        .where(tuple_(revisions.c.document_id, revisions.c.revision).in_([(j.document_id, j.revision) for j in jobs]))
        .where(documents.c.revision == revisions.c.revision, documents.c.status != DocumentStatus.INDEXED)
    )
    return [Draft(by_id[r.id], r.title, r.content, r.attempts) for r in connection.execute(statement)]


def known_vectors(connection: Connection, document_ids: Sequence[UUID]) -> dict[bytes, bytes]:
    """Vectors of the documents' present passages by digest of what was embedded."""
    statement = select(passages.c.digest, passages.c.vector).where(passages.c.document_id.in_(document_ids))
    return {row.digest: row.vector for row in connection.execute(statement)}


def publish(connection: Connection, organization_id: UUID, built: Sequence[Built]) -> int:
    """Makes these revisions current, all at once; superseded and removed ones are left alone. Returns the number."""
    rows = _lock(connection, [one.job.document_id for one in built])
    ready = [one for one in built if _is_wanted(rows.get(one.job.document_id), one.job)]
    ids = [one.job.document_id for one in ready]
    was_current = {document_id: rows[document_id].current_revision is not None for document_id in ids}
    number = changes.note(
        connection, organization_id, was_current, documents=sum(not before for before in was_current.values())
    )
    connection.execute(delete(passages).where(passages.c.document_id.in_(ids)))
    if new := [_values(one, passage) for one in ready for passage in one.passages]:
        connection.execute(insert(passages), new)
    for one in ready:
        _make_current(connection, one)
    return number


def _lock(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, Any]:
    columns = (documents.c.id, documents.c.revision, documents.c.current_revision)
    statement = select(*columns).where(documents.c.id.in_(ids)).order_by(documents.c.id).with_for_update()
    return {row.id: row for row in connection.execute(statement)}


def _is_wanted(row: Any, job: Job) -> bool:
    return row is not None and row.revision == job.revision and row.current_revision != job.revision


def _values(one: Built, passage: NewPassage) -> dict[str, Any]:
    names = ("position", "start", "end", "text", "context", "digest", "vector", "pieces")
    own = {name: getattr(passage, name) for name in names}
    return {"document_id": one.job.document_id, "revision": one.job.revision, **own}


def _make_current(connection: Connection, one: Built) -> None:
    job, now = one.job, datetime.now(UTC)
    mine = (revisions.c.document_id == job.document_id, revisions.c.revision == job.revision)
    connection.execute(update(revisions).where(*mine).values(language=one.language))
    older = (revisions.c.document_id == job.document_id, revisions.c.revision < job.revision)
    connection.execute(delete(revisions).where(*older))
    done = {"status": DocumentStatus.INDEXED, "indexed_at": now, "error": None, "attempts": 0, "next_try_at": None}
    connection.execute(
        update(documents)
        .where(documents.c.id == job.document_id)
        .values(current_revision=job.revision, splitter=one.splitter, **done, **held(None))
    )


def start_over(connection: Connection, organization_id: UUID, fingerprint: str) -> None:
    """For another embedding model: everything is pending again, and what the old model made is gone."""
    mine = documents.c.organization_id == organization_id
    ids = select(documents.c.id).where(mine)
    connection.execute(delete(passages).where(passages.c.document_id.in_(ids)))
    waiting = {"status": DocumentStatus.PENDING, "current_revision": None, "attempts": 0, "next_try_at": None}
    connection.execute(update(documents).where(mine).values(**waiting, **held(None)))
    changes.restart(connection, organization_id, fingerprint)


def are_overtaken(connection: Connection, jobs: Sequence[Job]) -> bool:
    """Whether one of the jobs' documents has a later revision that is still to become current."""
    later = or_(*((documents.c.id == job.document_id) & (documents.c.revision > job.revision) for job in jobs))
    pending = select(documents.c.id).where(later, documents.c.status == DocumentStatus.PENDING).limit(1)
    return (connection.execute(pending)).first() is not None

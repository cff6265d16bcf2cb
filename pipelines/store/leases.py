"""Who indexes a document now: a lease in its row, so that a crash leaves work that somebody else takes up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, or_, select, update

from pipelines.store.tables import documents
from pipelines.types import DocumentStatus

RENEWED = 500
"""Documents a statement."""
LEASE = timedelta(seconds=60)
TRIES = 6


@dataclass(frozen=True, slots=True)
class Lease:
    """One process's claim; renewed while the process lives."""

    owner: str


@dataclass(frozen=True, slots=True)
class Job:
    """One revision of one document to index."""

    organization_id: UUID
    document_id: UUID
    revision: int


def held(lease: Lease | None) -> dict[str, Any]:
    """The column values of a lease taken now, or of none."""
    until = datetime.now(UTC) + LEASE if lease else None
    return {"lease_owner": lease.owner if lease else None, "lease_until": until}


def claim(connection: Connection, lease: Lease, limit: int, busy: Sequence[UUID] = ()) -> list[Job]:
    """Takes documents that wait and that nobody holds, longest waiting first; none of the organizations `busy`."""
    columns = (documents.c.organization_id, documents.c.id, documents.c.revision)
    due = select(*columns).where(*_due(busy)).order_by(documents.c.updated_at).limit(limit)
    due = due.with_for_update(skip_locked=True)
    jobs = [Job(*row) for row in connection.execute(due)]
    connection.execute(
        update(documents).where(documents.c.id.in_([job.document_id for job in jobs])).values(**held(lease))
    )
    return jobs


def waiting(connection: Connection, busy: Sequence[UUID] = ()) -> bool:
    """Whether there is anything to claim; asked without the write lock."""
    return (connection.execute(select(documents.c.id).where(*_due(busy)).limit(1))).first() is not None


def _due(busy: Sequence[UUID]) -> tuple[Any, ...]:
    now = datetime.now(UTC)
    return (
        documents.c.status.in_([DocumentStatus.PENDING, DocumentStatus.FAILED]),
        or_(documents.c.lease_until.is_(None), documents.c.lease_until < now),
        or_(documents.c.next_try_at.is_(None), documents.c.next_try_at <= now),
        documents.c.attempts < TRIES,
        *([documents.c.organization_id.not_in(busy)] if busy else []),
    )


def renew(connection: Connection, lease: Lease, ids: Sequence[UUID]) -> None:
    """Of these documents, as far as they are still held."""
    mine = update(documents).where(documents.c.lease_owner == lease.owner)
    for at in range(0, len(ids), RENEWED):
        connection.execute(mine.where(documents.c.id.in_(ids[at : at + RENEWED])).values(**held(lease)))


def release_all(connection: Connection) -> None:
    """For a process that knows itself to be the only one: whoever held a lease is dead."""
    connection.execute(update(documents).where(documents.c.lease_owner.is_not(None)).values(**held(None)))


def fail(connection: Connection, job: Job, attempts: int, reason: str, *, passing: bool) -> None:
    """Notes why a revision could not be indexed, and when to try again: 1, 4, 16 … seconds later.

    With `passing` a dependency is at fault: the document stays pending and is tried without end. What is searchable
    has not failed, whatever went wrong behind it.
    """
    again = datetime.now(UTC) + timedelta(seconds=4 ** min(attempts, TRIES))
    status = DocumentStatus.PENDING if passing else DocumentStatus.FAILED
    attempts = min(attempts + 1, TRIES - 1) if passing else attempts + 1
    connection.execute(
        update(documents)
        .where(documents.c.id == job.document_id, documents.c.revision == job.revision)
        .where(documents.c.current_revision.is_distinct_from(job.revision))
        .values(status=status, error=reason, attempts=attempts, next_try_at=again, **held(None))
    )

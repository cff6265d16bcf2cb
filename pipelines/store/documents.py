"""Documents as they come in and as they are read: every statement names its organization."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import uuid_utils
from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, literal, select, update

from pipelines.errors import DocumentExists, DocumentNotFound, InvalidCursor, PreconditionFailed
from pipelines.store import changes, dialects
from pipelines.store.leases import Lease, held
from pipelines.store.tables import Json, documents, passages, revisions
from pipelines.types import UNCHANGED, Document, DocumentPage, DocumentStatus, Metadata, NewDocument, Unchanged

Revisions = Container[int]
"""What a caller's `if_match` allows a document to be at."""
INSERTS = 5
"""Tries of a create that finds its key taken, and whoever had it gone at the next look."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A document whose newest version is in the database; `settled` when there is nothing to index."""

    id: UUID
    revision: int
    created: bool
    settled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What an update says; what it does not say stays."""

    title: str | None = None
    content: str | None = None
    url: str | Unchanged | None = UNCHANGED
    metadata: Metadata | None = None


def effective_day(metadata: Metadata, fallback: datetime) -> date:
    """A document's date: `metadata.updated_at` as a UTC day when that is ISO 8601, else the day it came in."""
    try:
        moment = datetime.fromisoformat(metadata["updated_at"])
    except (KeyError, TypeError, ValueError):
        return fallback.astimezone(UTC).date()
    try:
        return moment.astimezone(UTC).date() if moment.tzinfo else moment.date()
    except OverflowError:
        return moment.date()


def accept(
    connection: Connection,
    organization_id: UUID,
    document: NewDocument,
    *,
    upsert: bool,
    lease: Lease | None,
    if_match: Revisions | None = None,
) -> Accepted:
    """Inserts the document as pending, or revises the one with its key. Raises DocumentExists without `upsert`."""
    if if_match is not None:
        _require_version(connection, organization_id, document, if_match)
    now = datetime.now(UTC)
    document_id = UUID(bytes=uuid_utils.uuid7().bytes)
    row = {
        "id": document_id,
        "organization_id": organization_id,
        "source": document.source,
        "external_id": document.external_id,
        "revision": 1,
        "status": DocumentStatus.PENDING,
        "created_at": now,
        "updated_at": now,
        **held(lease),
    }
    for left in reversed(range(INSERTS)):
        if connection.execute(dialects.insert(connection, documents).values(row).on_conflict_do_nothing()).rowcount:
            break
        try:
            return _revise_by_key(connection, organization_id, document, upsert, lease)
        except DocumentNotFound:  # it was being removed
            if not left:
                raise
    metadata = dict(document.metadata or {})
    _insert_revision(connection, document_id, 1, document.title, document.content, document.url, metadata, now)
    return Accepted(document_id, 1, created=True)


def _revise_by_key(
    connection: Connection, organization_id: UUID, document: NewDocument, upsert: bool, lease: Lease | None
) -> Accepted:
    row = _lock(connection, organization_id, *_key(document.source, document.external_id))
    if not upsert:
        raise DocumentExists(row.id)
    url = UNCHANGED if document.url is None else document.url
    edit = Edit(title=document.title, content=document.content, url=url, metadata=document.metadata)
    return _revise(connection, row, edit, lease)


def _key(source: str, external_id: str) -> tuple[Any, Any]:
    return documents.c.source == source, documents.c.external_id == external_id


def revise(
    connection: Connection,
    organization_id: UUID,
    document_id: UUID,
    edit: Edit,
    *,
    if_match: Revisions | None,
    lease: Lease | None,
) -> Accepted:
    row = _lock_version(connection, organization_id, if_match, documents.c.id == document_id)
    return _revise(connection, row, edit, lease)


def _lock(connection: Connection, organization_id: UUID, *conditions: Any) -> Any:
    """The document and its newest version, the row held until the transaction ends. Raises DocumentNotFound."""
    mine = (documents.c.organization_id == organization_id, *conditions)
    locked = connection.execute(select(documents.c.id).where(*mine).with_for_update()).scalar_one_or_none()
    # The newest version is a second statement: PostgreSQL, having waited, joins the row with what was there before.
    row = connection.execute(_newest(organization_id).where(documents.c.id == locked)).one_or_none()
    if row is None:
        raise DocumentNotFound
    return row


def _lock_version(connection: Connection, organization_id: UUID, if_match: Revisions | None, *conditions: Any) -> Any:
    row = _lock(connection, organization_id, *conditions)
    if if_match is not None and row.revision not in if_match:
        raise PreconditionFailed
    return row


def _require_version(connection: Connection, organization_id: UUID, document: NewDocument, if_match: Revisions) -> None:
    """What does not exist has no version that could match."""
    try:
        _lock_version(connection, organization_id, if_match, *_key(document.source, document.external_id))
    except DocumentNotFound:
        raise PreconditionFailed from None


def _revise(connection: Connection, row: Row[Any], edit: Edit, lease: Lease | None) -> Accepted:
    now = datetime.now(UTC)
    old = (row.title, row.content, row.url)
    title, content, url = new = (
        row.title if edit.title is None else edit.title,
        row.content if edit.content is None else edit.content,
        row.url if isinstance(edit.url, Unchanged) else edit.url,
    )
    metadata = dict(row.metadata if edit.metadata is None else edit.metadata)
    if row.status != DocumentStatus.FAILED and new == old and _is_kept(connection, metadata, row.metadata):
        return Accepted(row.id, row.revision, created=False, settled=row.status == DocumentStatus.INDEXED)
    revision = row.revision + 1
    _insert_revision(connection, row.id, revision, title, content, url, metadata, now)
    fresh = {"attempts": 0, "next_try_at": None, "error": None, **held(lease)}
    connection.execute(
        update(documents)
        .where(documents.c.id == row.id)
        .values(revision=revision, status=DocumentStatus.PENDING, updated_at=now, **fresh)
    )
    return Accepted(row.id, revision, created=False)


def _is_kept(connection: Connection, given: Metadata, kept: Metadata) -> bool:
    """Whether the two are one JSON text, in which true is not 1, once the database has written it in its own way."""
    if _json(given) == _json(kept):
        return True
    return _json(connection.execute(select(literal(given, Json))).scalar_one()) == _json(kept)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _insert_revision(
    connection: Connection,
    document_id: UUID,
    revision: int,
    title: str,
    content: str,
    url: str | None,
    metadata: Mapping[str, Any],
    now: datetime,
) -> None:
    values = {"document_id": document_id, "revision": revision, "title": title, "content": content, "url": url}
    connection.execute(insert(revisions).values(**values, metadata=metadata, day=effective_day(metadata, now)))


def remove(
    connection: Connection, organization_id: UUID, document_id: UUID, *, if_match: Revisions | None = None
) -> None:
    """From the commit on no answer cites it; the indexes are told by its change."""
    _remove_version(connection, organization_id, if_match, documents.c.id == document_id)


def remove_by_key(
    connection: Connection, organization_id: UUID, source: str, external_id: str, *, if_match: Revisions | None = None
) -> None:
    _remove_version(connection, organization_id, if_match, *_key(source, external_id))


def _remove_version(
    connection: Connection, organization_id: UUID, if_match: Revisions | None, *conditions: Any
) -> None:
    row = _lock_version(connection, organization_id, if_match, *conditions)
    _remove_all(connection, organization_id, [(row.id, row.current_revision is not None)])


def remove_source(connection: Connection, organization_id: UUID, source: str) -> int:
    statement = (
        select(documents.c.id, documents.c.current_revision)
        .where(documents.c.organization_id == organization_id, documents.c.source == source)
        .with_for_update()
    )
    found = [(row.id, row.current_revision is not None) for row in connection.execute(statement)]
    _remove_all(connection, organization_id, found)
    return len(found)


def _remove_all(connection: Connection, organization_id: UUID, found: list[tuple[UUID, bool]]) -> None:
    ids = [document_id for document_id, _ in found]
    searchable = [document_id for document_id, was_current in found if was_current]
    changes.note(connection, organization_id, dict.fromkeys(searchable, True), documents=-len(searchable))
    for at in range(0, len(ids), 500):
        some = ids[at : at + 500]
        for table, column in ((passages, passages.c.document_id), (revisions, revisions.c.document_id)):
            connection.execute(delete(table).where(column.in_(some)))
        connection.execute(delete(documents).where(documents.c.id.in_(some)))


def _newest(organization_id: UUID) -> Select[Any]:
    newest = and_(revisions.c.document_id == documents.c.id, revisions.c.revision == documents.c.revision)
    return (
        select(documents, *(revisions.c[name] for name in ("title", "content", "url", "metadata")))
        .join(revisions, newest)
        .where(documents.c.organization_id == organization_id)
    )


def get(connection: Connection, organization_id: UUID, document_id: UUID) -> Document:
    row = (connection.execute(_newest(organization_id).where(documents.c.id == document_id))).one_or_none()
    if row is None:
        raise DocumentNotFound
    return _document(row, row.content)


def get_many(connection: Connection, organization_id: UUID, ids: list[UUID]) -> dict[UUID, Document]:
    """Without content."""
    statement = _newest(organization_id).where(documents.c.id.in_(ids)).with_only_columns(*_listed())
    return {row.id: _document(row, "") for row in connection.execute(statement)}


def _listed() -> list[Any]:
    return [*documents.c, revisions.c.title, revisions.c.url, revisions.c.metadata]


def page(
    connection: Connection, organization_id: UUID, equal: Mapping[str, str | None], *, limit: int, cursor: str | None
) -> DocumentPage:
    """Newest first. Ids are UUID v7, so the last id of a page says where the next one begins."""
    conditions = [documents.c[name] == value for name, value in equal.items() if value is not None]
    if cursor is not None:
        conditions.append(documents.c.id < _decode(cursor))
    statement = _newest(organization_id).where(*conditions).with_only_columns(*_listed())
    rows = (connection.execute(statement.order_by(documents.c.id.desc()).limit(limit + 1))).all()
    listed = tuple(_document(row, "") for row in rows[:limit])
    return DocumentPage(listed, _encode(listed[-1].id) if len(rows) > limit else None)


def _encode(document_id: UUID) -> str:
    return base64.urlsafe_b64encode(document_id.bytes).decode().rstrip("=")


def _decode(cursor: str) -> UUID:
    try:
        return UUID(bytes=base64.b64decode(cursor + "==", altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise InvalidCursor from None


def _document(row: Row[Any], content: str) -> Document:
    return Document(
        id=row.id,
        source=row.source,
        external_id=row.external_id,
        title=row.title,
        content=content,
        url=row.url,
        metadata=row.metadata,
        status=DocumentStatus(row.status),
        error=row.error,
        revision=row.revision,
        created_at=row.created_at,
        updated_at=row.updated_at,
        indexed_at=row.indexed_at if row.status == DocumentStatus.INDEXED else None,
    )


def count_cut_otherwise(connection: Connection, splitter: str, organization_id: UUID | None = None) -> dict[UUID, int]:
    """Searchable documents whose passages are not this splitter's, by organization: of this one or of all."""
    mine = [documents.c.organization_id == organization_id] if organization_id else []
    others = (documents.c.current_revision.is_not(None), documents.c.splitter != splitter, *mine)
    found = select(documents.c.organization_id, func.count()).where(*others).group_by(documents.c.organization_id)
    return {row[0]: row[1] for row in connection.execute(found)}


def count_pending(connection: Connection) -> int:
    """Of all organizations."""
    pending = select(func.count()).where(documents.c.status == DocumentStatus.PENDING)
    return int(connection.execute(pending).scalar_one())


def counts(connection: Connection, organization_id: UUID) -> dict[str, int]:
    """Documents by status."""
    statement = (
        select(documents.c.status, func.count().label("number"))
        .where(documents.c.organization_id == organization_id)
        .group_by(documents.c.status)
    )
    return {row.status: row.number for row in connection.execute(statement)}

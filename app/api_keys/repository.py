"""Statements over API keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from app.models import api_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key without its secret."""

    id: UUID
    organization_id: UUID
    name: str
    prefix: str
    role: str
    created_by: UUID | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


COLUMNS = [column for column in api_keys.c if column.name != "hash"]


def add(connection: Connection, key: ApiKey, fingerprint: str) -> None:
    connection.execute(insert(api_keys).values(**asdict(key), hash=fingerprint))


def by_fingerprint(connection: Connection, fingerprint: str) -> ApiKey | None:
    row = connection.execute(select(*COLUMNS).where(api_keys.c.hash == fingerprint)).one_or_none()
    return _read(row) if row else None


def of_organization(connection: Connection, organization_id: UUID) -> Sequence[ApiKey]:
    """Oldest first."""
    chosen = select(*COLUMNS).where(api_keys.c.organization_id == organization_id).order_by(api_keys.c.id)
    return [_read(row) for row in connection.execute(chosen)]


def remove(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    """Returns how many there were."""
    return connection.execute(delete(api_keys).where(*conditions)).rowcount


def touch(connection: Connection, key_id: UUID, moment: datetime) -> None:
    connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=moment))


def _read(row: Row[Any]) -> ApiKey:
    return ApiKey(**row._mapping)

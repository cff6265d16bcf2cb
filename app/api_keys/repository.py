"""Statements over API keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from app.models import api_keys
from app.principal import Principal


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


def of_organization(
    connection: Connection, organization_id: UUID, *, limit: int | None = None, after: UUID | None = None
) -> Sequence[ApiKey]:
    """Oldest first, which is by their ids."""
    chosen = select(*COLUMNS).where(api_keys.c.organization_id == organization_id).order_by(api_keys.c.id).limit(limit)
    if after is not None:
        chosen = chosen.where(api_keys.c.id > after)
    return [_read(row) for row in connection.execute(chosen)]


def responsible(connection: Connection, caller: Principal) -> UUID | None:
    """Who acts, or whoever made the key that acts; nobody for a key of an operator."""
    if caller.user_id is not None:
        return caller.user_id
    chosen = select(api_keys.c.created_by).where(api_keys.c.id == caller.key_id)
    return connection.execute(chosen).scalar_one_or_none()


def take(connection: Connection, *conditions: ColumnElement[bool]) -> ApiKey | None:
    """Removes one and returns it."""
    row = connection.execute(delete(api_keys).where(*conditions).returning(*COLUMNS)).one_or_none()
    return _read(row) if row else None


def remove(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    """Returns how many there were."""
    return connection.execute(delete(api_keys).where(*conditions)).rowcount


def touch(connection: Connection, key_id: UUID, moment: datetime) -> None:
    connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=moment))


def _read(row: Row[Any]) -> ApiKey:
    return ApiKey(**row._mapping)

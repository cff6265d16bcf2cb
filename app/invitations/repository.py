"""Statements over invitations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, insert, or_, select, update

from app.models import invitations


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Without the token, which only its mail has."""

    id: UUID
    organization_id: UUID
    email: str
    role: str
    invited_by: UUID | None
    created_at: datetime
    expires_at: datetime


COLUMNS = [column for column in invitations.c if column.name != "hash"]


def of_address(connection: Connection, organization_id: UUID, email: str) -> Invitation | None:
    whose = and_(invitations.c.organization_id == organization_id, invitations.c.email == email)
    row = connection.execute(select(*COLUMNS).where(whose)).one_or_none()
    return _read(row) if row else None


def pending(
    connection: Connection,
    organization_id: UUID,
    now: datetime,
    *,
    limit: int | None = None,
    after: tuple[datetime, UUID] | None = None,
) -> Sequence[Invitation]:
    """Those that can be accepted still, oldest first."""
    alive = (invitations.c.organization_id == organization_id, invitations.c.expires_at > now)
    chosen = select(*COLUMNS).where(*alive, *_after(after)).order_by(invitations.c.created_at, invitations.c.id)
    return [_read(row) for row in connection.execute(chosen.limit(limit))]


def add(connection: Connection, invitation: Invitation, token_hash: str) -> None:
    connection.execute(insert(invitations).values(**asdict(invitation), hash=token_hash))


def renew(connection: Connection, invitation: Invitation, token_hash: str) -> None:
    """Its earlier token is good for nothing any more."""
    renewed = {"role": invitation.role, "expires_at": invitation.expires_at, "invited_by": invitation.invited_by}
    connection.execute(update(invitations).where(invitations.c.id == invitation.id).values(**renewed, hash=token_hash))


def remove(connection: Connection, *conditions: ColumnElement[bool]) -> Invitation | None:
    """The one that there was."""
    row = connection.execute(delete(invitations).where(*conditions).returning(*COLUMNS)).one_or_none()
    return _read(row) if row else None


def _after(place: tuple[datetime, UUID] | None) -> list[ColumnElement[bool]]:
    if place is None:
        return []
    moment, invitation_id = place
    same = and_(invitations.c.created_at == moment, invitations.c.id > invitation_id)
    return [or_(invitations.c.created_at > moment, same)]


def _read(row: Row[Any]) -> Invitation:
    return Invitation(**row._mapping)

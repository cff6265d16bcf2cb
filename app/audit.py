"""What was done, by whom and to whom: written with the act itself, so that neither is there without the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select

from app.identifiers import new_id
from app.models import audit

OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    id: UUID
    at: datetime
    action: str
    actor: str
    organization_id: UUID | None
    user_id: UUID | None
    details: dict[str, str]


def record(
    connection: Connection,
    action: str,
    actor: str,
    *,
    organization_id: UUID | None = None,
    user_id: UUID | None = None,
    **details: str,
) -> None:
    """Belongs into the transaction of the act. `actor` is `user:…`, `key:…` or `operator`; no secret is a detail."""
    connection.execute(
        insert(audit).values(
            id=new_id(),
            at=datetime.now(UTC),
            action=action,
            actor=actor,
            organization_id=organization_id,
            user_id=user_id,
            details=details,
        )
    )


def newest(connection: Connection, organization_id: UUID | None, limit: int) -> Sequence[Entry]:
    """Newest first; without an organization those of all."""
    chosen = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if organization_id is not None:
        chosen = chosen.where(audit.c.organization_id == organization_id)
    return [Entry(**_plain(row._mapping)) for row in connection.execute(chosen)]


def _plain(row: Any) -> dict[str, Any]:
    return dict(row)

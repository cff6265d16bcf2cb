"""What the audit holds, for an operator to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from app.models import audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    id: UUID
    at: datetime
    action: str
    actor: str
    organization_id: UUID | None
    user_id: UUID | None
    """Whom it befell."""
    details: dict[str, Any]


def newest(connection: Connection, organization_id: UUID | None, limit: int) -> Sequence[Entry]:
    """Newest first; without an organization those of all."""
    chosen = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if organization_id is not None:
        chosen = chosen.where(audit.c.organization_id == organization_id)
    return [Entry(**row._mapping) for row in connection.execute(chosen)]

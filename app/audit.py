"""Who did what to whom, in the transaction that did it. Details never hold a secret."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert

from app.identifiers import new_id
from app.models import audit
from app.principal import Principal

NOBODY = "nobody"
OPERATOR = "operator"


def user(user_id: UUID) -> str:
    """A person as an actor."""
    return f"user:{user_id}"


def actor_of(principal: Principal) -> str:
    """Whoever made a request: a person or an API key."""
    return user(principal.person.user_id) if principal.person else f"key:{principal.key_id}"


def record(
    connection: Connection,
    action: str,
    actor: str,
    *,
    organization_id: UUID | None = None,
    user_id: UUID | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """One line of the audit; `user_id` is whom it befell."""
    connection.execute(
        insert(audit).values(
            id=new_id(),
            at=datetime.now(UTC),
            action=action,
            actor=actor,
            organization_id=organization_id,
            user_id=user_id,
            details=dict(details or {}),
        )
    )

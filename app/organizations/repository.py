"""Statements over organizations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, update

from app.models import organizations


@dataclass(frozen=True, slots=True)
class Organization:
    id: UUID
    name: str
    plan: str
    features: dict[str, bool]
    created_at: datetime


def add(connection: Connection, organization: Organization) -> None:
    connection.execute(
        insert(organizations).values(
            id=organization.id,
            name=organization.name,
            plan=organization.plan,
            features=organization.features,
            created_at=organization.created_at,
        )
    )


def get(connection: Connection, organization_id: UUID) -> Organization | None:
    row = connection.execute(select(organizations).where(organizations.c.id == organization_id)).one_or_none()
    return _read(row) if row else None


def everything(connection: Connection) -> Sequence[Organization]:
    """Oldest first."""
    return [_read(row) for row in connection.execute(select(organizations).order_by(organizations.c.id))]


def set_plan(connection: Connection, organization_id: UUID, plan: str) -> Organization | None:
    connection.execute(update(organizations).where(organizations.c.id == organization_id).values(plan=plan))
    return get(connection, organization_id)


def change(connection: Connection, organization_id: UUID, name: str, features: dict[str, bool]) -> None:
    changed = update(organizations).where(organizations.c.id == organization_id)
    connection.execute(changed.values(name=name, features=features))


def lock(connection: Connection, organization_id: UUID) -> Organization | None:
    """Whoever else locks it waits until this transaction ends; on SQLite every writer does so anyway."""
    chosen = select(organizations).where(organizations.c.id == organization_id)
    row = connection.execute(chosen.with_for_update(key_share=True)).one_or_none()
    return _read(row) if row else None


def _read(row: Row[Any]) -> Organization:
    return Organization(row.id, row.name, row.plan, row.features, row.created_at)

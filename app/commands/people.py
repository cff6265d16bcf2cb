"""`kb admin users` and `audit`: who belongs to what, and what was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from app import audit_log
from app.audit_log import Entry
from app.commands import console
from app.commands.admin import run
from app.commands.opening import named
from app.members import repository as members
from app.members.repository import Known
from app.organizations.service import list_organizations
from pipelines.store.database import Database


def users(organization: str | None, *, as_json: bool) -> None:
    known, names = run(lambda database: _users(database, organization))
    if as_json:
        console.say_json([_user(one, names) for one in known])
    elif known:
        columns = ("id", "email", "role", "organization", "organization's name", "joined")
        console.say_table(columns, [row for one in known for row in _rows(one, names)])
    else:
        console.tell("There is nobody yet.")


def show_audit(organization: str | None, limit: int, *, as_json: bool) -> None:
    entries = run(lambda database: _audit(database, organization, limit))
    if as_json:
        console.say_json([_entry(one) for one in entries])
    elif entries:
        columns = ("at", "action", "actor", "organization", "user", "details")
        console.say_table(columns, [_cells(one) for one in entries])
    else:
        console.tell("Nothing has been recorded yet.")


async def _users(database: Database, organization: str | None) -> tuple[Sequence[Known], dict[UUID, str]]:
    """With the organizations' names."""
    chosen = (await named(database, organization)).id if organization else None
    names = {one.id: one.name for one in await list_organizations(database)}
    return await database.read(members.everybody, chosen), names


async def _audit(database: Database, organization: str | None, limit: int) -> Sequence[Entry]:
    chosen = (await named(database, organization)).id if organization else None
    return await database.read(audit_log.newest, chosen, limit)


def _rows(one: Known, names: dict[UUID, str]) -> list[tuple[Any, ...]]:
    """A line for each membership, and one for somebody who has none."""
    rows = [
        (one.id, one.email, its.role, its.organization_id, names.get(its.organization_id, ""), its.joined_at)
        for its in one.memberships
    ]
    return rows or [(one.id, one.email, "", "", "", "")]


def _user(one: Known, names: dict[UUID, str]) -> dict[str, Any]:
    organizations = [
        {
            "id": str(its.organization_id),
            "name": names.get(its.organization_id, ""),
            "role": its.role,
            "joined_at": its.joined_at.isoformat(),
        }
        for its in one.memberships
    ]
    return {
        "id": str(one.id),
        "email": one.email,
        "created_at": one.created_at.isoformat(),
        "organizations": organizations,
    }


def _cells(one: Entry) -> tuple[Any, ...]:
    details = " ".join(f"{name}={value}" for name, value in one.details.items())
    return one.at, one.action, one.actor, one.organization_id or "", one.user_id or "", details


def _entry(one: Entry) -> dict[str, Any]:
    return {
        "at": one.at.isoformat(),
        "action": one.action,
        "actor": one.actor,
        "organization_id": str(one.organization_id) if one.organization_id else None,
        "user_id": str(one.user_id) if one.user_id else None,
        "details": one.details,
    }

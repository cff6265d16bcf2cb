"""What members can change of their organization: statements, each a whole transaction."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection

from app import audit
from app.errors import InvalidRequest
from app.members import repository as members
from app.members.authority import locked
from app.organizations import repository
from app.organizations.repository import Organization
from app.organizations.service import MOST_FEATURES, present
from app.principal import Principal
from app.roles import Operation


def with_members(connection: Connection, organization_id: UUID) -> tuple[Organization, int]:
    """And how many members it has. Raises OrganizationNotFound."""
    return present(repository.get(connection, organization_id)), members.count(connection, organization_id)


def change_settings(
    connection: Connection, caller: Principal, name: str | None, features: dict[str, bool] | None
) -> Organization:
    """Features are merged flag by flag, so that two changes at once both hold. Raises Forbidden, InvalidRequest."""
    caller = locked(connection, caller, Operation.EDIT_SETTINGS)
    before = present(repository.get(connection, caller.organization_id))
    after = replace(before, name=name or before.name, features={**before.features, **(features or {})})
    if after == before:
        return before
    if len(after.features) > MOST_FEATURES:
        raise InvalidRequest(f"An organization has at most {MOST_FEATURES} feature flags.")
    repository.change(connection, after.id, after.name, after.features)
    changed = _differences(before, after)
    audit.record(
        connection, "settings_changed", audit.actor_of(caller), organization_id=after.id, details={"changed": changed}
    )
    return after


def _differences(before: Organization, after: Organization) -> str:
    names = [f"name: {after.name}"] if after.name != before.name else []
    flags = [
        f"{flag}: {str(value).lower()}"
        for flag, value in after.features.items()
        if before.features.get(flag) is not value
    ]
    return ", ".join(names + flags)

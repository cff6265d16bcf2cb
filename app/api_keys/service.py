"""What can be done with an organization's API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Connection

from app import audit
from app.api_keys import repository
from app.api_keys.repository import ApiKey
from app.api_keys.secret import SHOWN, fingerprint, new_secret
from app.errors import NotFound
from app.identifiers import new_id
from app.members.authority import locked
from app.models import api_keys
from app.names import printable
from app.organizations.service import get_organization
from app.paging import Page, Place, decoded, page
from app.principal import Principal
from app.roles import Operation
from pipelines.store.database import Database

__all__ = ["ApiKey", "create_key", "list_keys", "revoke_named"]

LONGEST_NAME = 100


class KeyNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such API key.")


async def create_key(
    database: Database,
    organization_id: UUID,
    name: str,
    *,
    role: str = "owner",
    created_by: UUID | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """The key and its secret, which nobody can read again. Raises OrganizationNotFound, ValueError for the name."""
    await get_organization(database, organization_id)
    key, secret = new_key(organization_id, name, role, created_by, expires_at)
    await database.write(_add, key, secret, audit.OPERATOR)
    return key, secret


def issue(connection: Connection, caller: Principal, name: str, expires_at: datetime | None) -> tuple[ApiKey, str]:
    """A key that may do what its creator may, and its secret. Raises Forbidden, or ValueError for the name."""
    caller = locked(connection, caller, Operation.MANAGE_KEYS)
    created_by = repository.responsible(connection, caller)
    key, secret = new_key(caller.organization_id, name, caller.role, created_by, expires_at)
    _add(connection, key, secret, audit.actor_of(caller))
    return key, secret


def delete_key(connection: Connection, caller: Principal, key_id: UUID | None) -> None:
    """Raises KeyNotFound or Forbidden."""
    caller = locked(connection, caller, Operation.MANAGE_KEYS)
    _remove(
        connection,
        audit.actor_of(caller),
        api_keys.c.organization_id == caller.organization_id,
        api_keys.c.id == key_id,
    )


def delete_any_key(connection: Connection, key_id: UUID) -> ApiKey:
    """For an operator. Raises KeyNotFound."""
    return _remove(connection, audit.OPERATOR, api_keys.c.id == key_id)


def page_of_keys(connection: Connection, organization_id: UUID, limit: int, cursor: str | None) -> Page[ApiKey]:
    """Oldest first. Raises InvalidCursor."""
    after = decoded(cursor)
    found = repository.of_organization(connection, organization_id, limit=limit + 1, after=after.id if after else None)
    return page(found, limit, lambda key: Place(key.created_at, key.id))


def new_key(
    organization_id: UUID, name: str, role: str, created_by: UUID | None, expires_at: datetime | None
) -> tuple[ApiKey, str]:
    """One that is not stored yet. Raises ValueError for the name."""
    secret = new_secret()
    key = ApiKey(
        id=new_id(),
        organization_id=organization_id,
        name=checked_name(name),
        prefix=secret[:SHOWN],
        role=role,
        created_by=created_by,
        created_at=datetime.now(UTC),
        expires_at=expires_at,
        last_used_at=None,
    )
    return key, secret


async def list_keys(database: Database, organization_id: UUID) -> Sequence[ApiKey]:
    """Oldest first."""
    return await database.read(repository.of_organization, organization_id)


async def revoke_named(database: Database, organization_id: UUID, name: str) -> int:
    """All of an organization's keys of one name; returns how many there were."""
    return await database.write(
        repository.remove, api_keys.c.organization_id == organization_id, api_keys.c.name == name
    )


def _add(connection: Connection, key: ApiKey, secret: str, actor: str) -> None:
    repository.add(connection, key, fingerprint(secret))
    _record(connection, "key_created", actor, key)


def _remove(connection: Connection, actor: str, *conditions: ColumnElement[bool]) -> ApiKey:
    removed = repository.take(connection, *conditions)
    if removed is None:
        raise KeyNotFound
    _record(connection, "key_deleted", actor, removed)
    return removed


def _record(connection: Connection, action: str, actor: str, key: ApiKey) -> None:
    audit.record(
        connection,
        action,
        actor,
        organization_id=key.organization_id,
        details={"key": str(key.id), "name": key.name, "prefix": key.prefix, "role": key.role},
    )


def checked_name(name: str) -> str:
    """Without blanks around it. Raises ValueError, with a sentence."""
    return printable(name, "An API key's", LONGEST_NAME)

"""What can be done with an organization's API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from app.api_keys import repository
from app.api_keys.repository import ApiKey
from app.api_keys.secret import SHOWN, fingerprint, new_secret
from app.identifiers import new_id
from app.models import api_keys
from app.organizations.service import get_organization
from pipelines.store.database import Database

__all__ = ["ApiKey", "create_key", "list_keys", "revoke_key", "revoke_named"]

LONGEST_NAME = 100


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
    secret = new_secret()
    key = ApiKey(
        id=new_id(),
        organization_id=organization_id,
        name=_name(name),
        prefix=secret[:SHOWN],
        role=role,
        created_by=created_by,
        created_at=datetime.now(UTC),
        expires_at=expires_at,
        last_used_at=None,
    )
    await database.write(repository.add, key, fingerprint(secret))
    return key, secret


async def list_keys(database: Database, organization_id: UUID) -> Sequence[ApiKey]:
    """Oldest first."""
    return await database.read(repository.of_organization, organization_id)


async def revoke_key(database: Database, key_id: UUID) -> bool:
    """Whether there was such a key; it opens nothing from now on (within seconds on other processes)."""
    return bool(await database.write(repository.remove, api_keys.c.id == key_id))


async def revoke_named(database: Database, organization_id: UUID, name: str) -> int:
    """All of an organization's keys of one name; returns how many there were."""
    return await database.write(
        repository.remove, api_keys.c.organization_id == organization_id, api_keys.c.name == name
    )


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise ValueError(f"An API key's name has 1 to {LONGEST_NAME} characters.")
    return name

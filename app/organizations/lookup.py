"""An organization's plan and features, at the price of a dictionary for one that was asked for a moment ago."""

from __future__ import annotations

from uuid import UUID

from app.organizations import repository
from app.organizations.repository import Organization
from app.read_through import ReadThroughCache
from pipelines.store.database import Database


class OrganizationLookup:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: ReadThroughCache[UUID, Organization] = ReadThroughCache()

    async def of(self, organization_id: UUID) -> Organization | None:
        """None for an organization that is gone."""
        return await self._found.get(organization_id, self._read)

    async def _read(self, organization_id: UUID) -> Organization | None:
        return await self._database.read(repository.get, organization_id)

    def forget(self, organization_id: UUID) -> None:
        """Asks the database again: it was changed in this process."""
        self._found.forget(organization_id)

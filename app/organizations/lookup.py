"""An organization's plan and features, at the price of a dictionary for one that was asked for a moment ago."""

from __future__ import annotations

import time
from collections import OrderedDict
from uuid import UUID

from app.organizations import repository
from app.organizations.repository import Organization
from pipelines.store.database import Database

KEPT = 5.0
"""Seconds after which a change in another process holds."""
MOST_KEPT = 10_000


class OrganizationLookup:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: OrderedDict[UUID, tuple[float, Organization | None]] = OrderedDict()
        self._forgotten = 0

    async def of(self, organization_id: UUID) -> Organization | None:
        """None for an organization that is gone."""
        now = time.monotonic()
        if (kept := self._found.get(organization_id)) and now - kept[0] < KEPT:
            return kept[1]
        before = self._forgotten
        organization = await self._database.read(repository.get, organization_id)
        if before == self._forgotten:  # else what was read may be older than what was done
            self._keep(organization_id, now, organization)
        return organization

    def forget(self, organization_id: UUID) -> None:
        """Asks the database again: it was changed in this process."""
        self._found.pop(organization_id, None)
        self._forgotten += 1

    def _keep(self, organization_id: UUID, now: float, organization: Organization | None) -> None:
        self._found[organization_id] = now, organization
        self._found.move_to_end(organization_id)
        if len(self._found) > MOST_KEPT:
            self._found.popitem(last=False)

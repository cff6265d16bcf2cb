"""Which plan an organization has, at the price of a dictionary for one that was asked for a moment ago."""

from __future__ import annotations

import time
from collections import OrderedDict
from uuid import UUID

from app.organizations import repository
from app.plans import PLANS, Plan
from pipelines.store.database import Database

KEPT = 5.0
"""Seconds after which a new plan holds."""
MOST_KEPT = 10_000


class PlanLookup:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: OrderedDict[UUID, tuple[float, Plan]] = OrderedDict()

    async def of(self, organization_id: UUID) -> Plan:
        """The smallest plan for an organization that is gone."""
        now = time.monotonic()
        if (kept := self._found.get(organization_id)) and now - kept[0] < KEPT:
            return kept[1]
        plan = await self._read(organization_id)
        self._keep(organization_id, now, plan)
        return plan

    async def _read(self, organization_id: UUID) -> Plan:
        organization = await self._database.read(repository.get, organization_id)
        return PLANS[organization.plan if organization else "free"]

    def _keep(self, organization_id: UUID, now: float, plan: Plan) -> None:
        self._found[organization_id] = now, plan
        self._found.move_to_end(organization_id)
        if len(self._found) > MOST_KEPT:
            self._found.popitem(last=False)

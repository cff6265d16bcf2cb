"""What can be done with an organization."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import Connection

from app import audit
from app.identifiers import new_id
from app.names import printable
from app.organizations import repository
from app.organizations.repository import Organization
from app.plans import PLANS, SMALLEST
from pipelines.store.database import Database

__all__ = [
    "Organization",
    "OrganizationNotFound",
    "create_organization",
    "get_organization",
    "list_organizations",
    "new_organization",
    "set_plan",
]

LONGEST_NAME = 200
MOST_FEATURES = 50


class OrganizationNotFound(LookupError):
    def __init__(self) -> None:
        super().__init__("There is no such organization.")


async def create_organization(database: Database, name: str, plan: str = SMALLEST) -> Organization:
    """Raises ValueError, with a sentence, for a name or plan that cannot be."""
    organization = new_organization(name, plan)
    await database.write(repository.add, organization)
    return organization


def new_organization(name: str, plan: str = SMALLEST) -> Organization:
    """One that is not stored yet. Raises ValueError, with a sentence, for a name or plan that cannot be."""
    return Organization(new_id(), checked_name(name), _plan(plan), {"api_access": True}, datetime.now(UTC))


async def list_organizations(database: Database) -> Sequence[Organization]:
    """Oldest first."""
    return await database.read(repository.everything)


async def get_organization(database: Database, organization_id: UUID) -> Organization:
    """Raises OrganizationNotFound."""
    return present(await database.read(repository.get, organization_id))


async def set_plan(database: Database, organization_id: UUID, plan: str) -> Organization:
    """Raises OrganizationNotFound, or ValueError for a plan that is none."""
    return present(await database.write(_set_plan, organization_id, _plan(plan)))


def _set_plan(connection: Connection, organization_id: UUID, plan: str) -> Organization | None:
    changed = repository.set_plan(connection, organization_id, plan)
    if changed:
        audit.record(
            connection, "plan_changed", audit.OPERATOR, organization_id=organization_id, details={"plan": plan}
        )
    return changed


def present(organization: Organization | None) -> Organization:
    """Raises OrganizationNotFound."""
    if organization is None:
        raise OrganizationNotFound
    return organization


def checked_name(name: str) -> str:
    """Without blanks around it. Raises ValueError, with a sentence."""
    return printable(name, "An organization's", LONGEST_NAME)


def _plan(plan: str) -> str:
    if plan not in PLANS:
        raise ValueError(f"There is no plan {plan!r}; the plans are {', '.join(PLANS)}.")
    return plan

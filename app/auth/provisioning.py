"""A person's first arrival: their organization is made here, once, whatever crashed on the way to it."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection

from app.members import repository as members
from app.organizations import repository as organizations
from app.organizations.service import LONGEST_NAME, new_organization
from app.principal import Person


def provision(connection: Connection, person: Person, organization_name: str | None = None, *, is_closed: bool) -> None:
    """Records who came; a newcomer gets an organization of their own, unless signing up is closed.

    Of two first requests at once one makes it and the other waits for it. Somebody who came before and belongs to
    nothing any more stays without: they were removed.
    """
    now = datetime.now(UTC)
    if not members.add_user(connection, person.user_id, person.email, now):
        members.set_email(connection, person.user_id, person.email)
    elif not is_closed:
        own = new_organization(organization_name or person.organization_name or _by_address(person.email))
        organizations.add(connection, own)
        members.add_member(connection, own.id, person.user_id, "owner", now)


def _by_address(email: str) -> str:
    return email.partition("@")[0].strip()[:LONGEST_NAME] or "My organization"

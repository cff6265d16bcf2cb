"""What a caller may do at the moment of the act: a role is read again when nobody else can change it any more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import Connection, or_, select

from app.errors import ApiAccessDisabled, Forbidden, Unauthorized
from app.members import repository
from app.models import api_keys
from app.organizations import repository as organizations
from app.principal import Principal
from app.roles import Operation

STRANGER = "You are no member of this organization."


def locked(connection: Connection, caller: Principal, operation: Operation) -> Principal:
    """The caller with today's role; until the transaction ends nobody else changes members of the organization.

    Raises Forbidden where that role does not permit the operation.
    """
    organization = organizations.lock(connection, caller.organization_id)
    if organization is None:
        raise Forbidden(STRANGER)
    if caller.person is None and not organization.features.get("api_access", True):
        raise ApiAccessDisabled
    current = _current(connection, caller)
    require(current, operation)
    return current


def require(caller: Principal, operation: Operation) -> None:
    """Raises Forbidden."""
    if not caller.may(operation):
        raise Forbidden(f"Your role does not permit you to {operation}.")


def _current(connection: Connection, caller: Principal) -> Principal:
    """Raises Unauthorized for a credential that was taken back while its request waited."""
    if caller.person is None:
        if not _is_good(connection, caller):
            raise Unauthorized
        return caller
    person = caller.person
    standing = repository.standing(connection, person.user_id, person.session_id)
    if standing is None or not standing.accepts(person.session_id, person.issued_at):
        raise Unauthorized
    member = standing.member_of(caller.organization_id)
    if member is None:
        raise Forbidden(STRANGER)
    return replace(caller, role=member.role)


def _is_good(connection: Connection, caller: Principal) -> bool:
    now = datetime.now(UTC)
    lives = or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > now)
    return connection.execute(select(api_keys.c.id).where(api_keys.c.id == caller.key_id, lives)).first() is not None

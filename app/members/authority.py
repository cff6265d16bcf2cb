"""What a caller may do at the moment of the act: a role is read again when nobody else can change it any more."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from app.errors import Forbidden
from app.members import repository
from app.organizations import repository as organizations
from app.principal import Principal
from app.roles import Operation

STRANGER = "You are no member of this organization."


def locked(connection: Connection, caller: Principal, operation: Operation) -> Principal:
    """The caller with today's role; until the transaction ends nobody else changes members of the organization.

    Raises Forbidden where that role does not permit the operation.
    """
    if organizations.lock(connection, caller.organization_id) is None:
        raise Forbidden(STRANGER)
    current = _current(connection, caller)
    require(current, operation)
    return current


def require(caller: Principal, operation: Operation) -> None:
    """Raises Forbidden."""
    if not caller.may(operation):
        raise Forbidden(f"Your role does not permit you to {operation}.")


def _current(connection: Connection, caller: Principal) -> Principal:
    if caller.user_id is None:
        return caller
    member = repository.get(connection, caller.organization_id, caller.user_id)
    if member is None:
        raise Forbidden(STRANGER)
    return replace(caller, role=member.role)

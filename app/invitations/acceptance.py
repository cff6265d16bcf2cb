"""What the token of an invitation's mail opens, once and for its own address alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, select

from app import audit
from app.errors import Forbidden, NotFound
from app.members import repository as members
from app.members.repository import Member
from app.models import invitations


class InvitationNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("This invitation is unknown, expired, withdrawn or accepted already.")


class NotInvited(Forbidden):
    def __init__(self) -> None:
        super().__init__("This invitation is for another e-mail address.")


@dataclass(frozen=True, slots=True)
class Invited:
    """Who is invited where."""

    organization_id: UUID
    email: str
    role: str


COLUMNS = (invitations.c.organization_id, invitations.c.email, invitations.c.role)


def find(connection: Connection, token_hash: str, email: str | None, now: datetime) -> Invited:
    """Raises InvitationNotFound, or NotInvited for another address than `email`, if one is given."""
    open_ones = select(*COLUMNS).where(invitations.c.hash == token_hash, invitations.c.expires_at > now)
    row = connection.execute(open_ones).one_or_none()
    if row is None:
        raise InvitationNotFound
    if email is not None and row.email != email.strip().lower():
        raise NotInvited
    return Invited(*row)


def accept(connection: Connection, token_hash: str, user_id: UUID, email: str, now: datetime) -> Member:
    """The person joins with the invitation's role, and the invitation is gone; a member stays what they are.

    Raises InvitationNotFound, or NotInvited for another address, and then the invitation stays good.
    """
    find(connection, token_hash, email, now)
    used = delete(invitations).where(invitations.c.hash == token_hash).returning(*COLUMNS)
    row = connection.execute(used).one_or_none()
    if row is None:  # another request was faster
        raise InvitationNotFound
    invited = Invited(*row)
    members.add_user(connection, user_id, email, now)
    joined = members.add_member(connection, invited.organization_id, user_id, invited.role, now)
    if joined:
        _record(connection, invited, user_id)
    return _member(connection, invited.organization_id, user_id)


def _record(connection: Connection, invited: Invited, user_id: UUID) -> None:
    actor, details = audit.user(user_id), {"role": invited.role}
    audit.record(
        connection,
        "invitation_accepted",
        actor,
        organization_id=invited.organization_id,
        user_id=user_id,
        details=details,
    )


def _member(connection: Connection, organization_id: UUID, user_id: UUID) -> Member:
    member = members.get(connection, organization_id, user_id)
    if member is None:
        raise InvitationNotFound
    return member

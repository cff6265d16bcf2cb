"""An invitation becomes a membership, once."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection

from app import audit
from app.errors import Forbidden, NotFound
from app.invitations import repository
from app.members import repository as members
from app.members.repository import Member
from app.models import invitations


class InvitationNotFound(NotFound):
    """Never sent, revoked, replaced, expired or accepted: which of it is nobody's business."""

    def __init__(self) -> None:
        super().__init__("There is no such invitation, or it is not good any more.")


class NotInvited(Forbidden):
    def __init__(self) -> None:
        super().__init__("This invitation is for another e-mail address.")


def accept(connection: Connection, token_hash: str, user_id: UUID, email: str, now: datetime) -> Member:
    """The membership of somebody, who may be new here. Raises InvitationNotFound or NotInvited.

    Of two at once the second waits for the first and finds nothing. Who is a member by now keeps their role.
    """
    invitation = repository.by_token(connection, token_hash)
    if invitation is None or invitation.expires_at <= now:
        raise InvitationNotFound
    if email.strip().lower() != invitation.email:
        raise NotInvited
    repository.remove(connection, invitations.c.id == invitation.id)
    members.add_user(connection, user_id, email, now)
    if members.add_member(connection, invitation.organization_id, user_id, invitation.role, now):
        audit.record(
            connection,
            "member_joined",
            f"user:{user_id}",
            organization_id=invitation.organization_id,
            user_id=user_id,
            role=invitation.role,
        )
    member = members.get(connection, invitation.organization_id, user_id)
    if member is None:
        raise AssertionError("who was added is a member")
    return member

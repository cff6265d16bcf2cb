"""What can be done with invitations: statements, each a whole transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import Connection, and_

from app import audit
from app.api_keys import repository as keys
from app.digests import digest, new_secret
from app.errors import ServiceError
from app.identifiers import new_id
from app.invitations import repository
from app.invitations.acceptance import InvitationNotFound
from app.invitations.repository import Invitation
from app.members import repository as members
from app.members.authority import locked, require
from app.models import invitations
from app.organizations import repository as organizations
from app.organizations.service import present
from app.paging import Page, Place, decoded, page
from app.principal import Principal
from app.roles import Operation

LIFETIME = timedelta(days=7)


class MemberExists(ServiceError):
    def __init__(self) -> None:
        super().__init__(409, "MEMBER_EXISTS", "Somebody with this address is a member already.")


@dataclass(frozen=True, slots=True)
class Invited:
    """What is to be answered, and mailed: `token` stands nowhere else."""

    invitation: Invitation
    is_new: bool
    organization: str
    token: str


def invite(connection: Connection, caller: Principal, email: str, role: str) -> Invited:
    """Invited again, the address gets another token and the new role. Raises MemberExists or Forbidden."""
    caller = locked(connection, caller, Operation.EDIT_MEMBERS)
    if role == "owner":
        require(caller, Operation.EDIT_OWNERS)
    if members.of_address(connection, caller.organization_id, email):
        raise MemberExists
    token = new_secret()
    invitation, is_new = _put(connection, caller, email, role, digest(token))
    action = "member_invited" if is_new else "member_invited_again"
    _record(connection, action, caller, invitation)
    organization = present(organizations.get(connection, caller.organization_id))
    return Invited(invitation, is_new, organization.name, token)


def list_invitations(connection: Connection, organization_id: UUID, limit: int, cursor: str | None) -> Page[Invitation]:
    """Those that can be accepted still, oldest first. Raises InvalidCursor."""
    after = decoded(cursor)
    place = (after.moment, after.id) if after else None
    found = repository.pending(connection, organization_id, datetime.now(UTC), limit=limit + 1, after=place)
    return page(found, limit, lambda one: Place(one.created_at, one.id))


def revoke(connection: Connection, caller: Principal, invitation_id: UUID | None) -> None:
    """Raises InvitationNotFound or Forbidden."""
    caller = locked(connection, caller, Operation.EDIT_MEMBERS)
    whose = (invitations.c.organization_id == caller.organization_id, invitations.c.id == invitation_id)
    revoked = repository.remove(connection, *whose, invitations.c.expires_at > datetime.now(UTC))
    if revoked is None:
        raise InvitationNotFound
    _record(connection, "invitation_revoked", caller, revoked)


def _put(connection: Connection, caller: Principal, email: str, role: str, token_hash: str) -> tuple[Invitation, bool]:
    now = datetime.now(UTC)
    _forget_expired(connection, caller.organization_id, email, now)
    earlier = repository.of_address(connection, caller.organization_id, email)
    if earlier:
        invitation = replace(
            earlier, role=role, expires_at=now + LIFETIME, invited_by=keys.responsible(connection, caller)
        )
        repository.renew(connection, invitation, token_hash)
        return invitation, False
    invitation = Invitation(
        id=new_id(),
        organization_id=caller.organization_id,
        email=email,
        role=role,
        invited_by=keys.responsible(connection, caller),
        created_at=now,
        expires_at=now + LIFETIME,
    )
    repository.add(connection, invitation, token_hash)
    return invitation, True


def _forget_expired(connection: Connection, organization_id: UUID, email: str, now: datetime) -> None:
    whose = and_(invitations.c.organization_id == organization_id, invitations.c.email == email)
    repository.remove(connection, whose, invitations.c.expires_at <= now)


def _record(connection: Connection, action: str, caller: Principal, invitation: Invitation) -> None:
    audit.record(
        connection,
        action,
        audit.actor_of(caller),
        organization_id=invitation.organization_id,
        details={"email": invitation.email, "role": invitation.role},
    )

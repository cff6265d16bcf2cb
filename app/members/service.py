"""What can be done with the members of an organization: statements, each a whole transaction."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection

from app import audit
from app.errors import NotFound, ServiceError
from app.members import repository
from app.members.authority import locked, require
from app.members.repository import Member
from app.organizations import repository as organizations
from app.paging import Page, Place, decoded, page
from app.principal import Principal
from app.roles import Operation


class MemberNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such member.", "MEMBER_NOT_FOUND")


class LastOwner(ServiceError):
    def __init__(self) -> None:
        super().__init__(409, "LAST_OWNER", "This is the organization's last owner: make somebody else an owner first.")


def list_members(connection: Connection, organization_id: UUID, limit: int, cursor: str | None) -> Page[Member]:
    """In joining order. Raises InvalidCursor."""
    after = decoded(cursor)
    place = (after.moment, after.id) if after else None
    found = repository.of_organization(connection, organization_id, limit=limit + 1, after=place)
    return page(found, limit, lambda member: Place(member.joined_at, member.user_id))


def change_role(connection: Connection, caller: Principal, user_id: UUID | None, role: str) -> Member:
    """Raises MemberNotFound, LastOwner, or Forbidden: owners are made and unmade by owners."""
    caller = locked(connection, caller, Operation.EDIT_MEMBERS)
    if role == "owner":
        require(caller, Operation.EDIT_OWNERS)
    member = _member(connection, caller.organization_id, user_id)
    if member.role == role:
        return member
    if member.role == "owner":
        require(caller, Operation.EDIT_OWNERS)
        _keep_an_owner(connection, member)
    repository.set_role(connection, member.organization_id, member.user_id, role)
    repository.withdraw_invitations(connection, member, above=role)
    _record(connection, "role_changed", audit.actor_of(caller), member, before=member.role, after=role)
    return replace(member, role=role)


def remove(connection: Connection, caller: Principal, user_id: UUID | None) -> None:
    """Raises MemberNotFound, LastOwner, or Forbidden: owners are removed by owners. Everybody may remove themselves."""
    leaving = user_id is not None and user_id == caller.user_id
    caller = locked(connection, caller, Operation.LEAVE if leaving else Operation.EDIT_MEMBERS)
    member = _member(connection, caller.organization_id, user_id)
    if member.role == "owner":
        require(caller, Operation.EDIT_OWNERS)
        _keep_an_owner(connection, member)
    _take_out(connection, member, "member_left" if leaving else "member_removed", audit.actor_of(caller))


def remove_deleted(connection: Connection, user_id: UUID) -> None:
    """Whom the identity server has deleted is a member of nothing any more, a last owner neither."""
    for organization_id in repository.organizations_of(connection, user_id):
        organizations.lock(connection, organization_id)
        if member := repository.get(connection, organization_id, user_id):
            _take_out(connection, member, "member_removed", audit.OPERATOR)


def _take_out(connection: Connection, member: Member, action: str, actor: str) -> None:
    repository.remove(connection, member.organization_id, member.user_id)
    repository.withdraw_invitations(connection, member)
    _record(connection, action, actor, member, role=member.role)


def _member(connection: Connection, organization_id: UUID, user_id: UUID | None) -> Member:
    member = repository.get(connection, organization_id, user_id) if user_id else None
    if member is None:
        raise MemberNotFound
    return member


def _keep_an_owner(connection: Connection, leaving: Member) -> None:
    """The lock on the organization makes the count one that holds."""
    if repository.count_owners(connection, leaving.organization_id) == 1:
        raise LastOwner


def _record(connection: Connection, action: str, actor: str, member: Member, **details: str) -> None:
    audit.record(
        connection,
        action,
        actor,
        organization_id=member.organization_id,
        user_id=member.user_id,
        details=details,
    )

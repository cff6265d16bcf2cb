"""Statements over people and memberships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, bindparam, delete, func, or_, select, update

from app.models import ended_sessions, invitations, memberships, users
from pipelines.store import dialects


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    organization_id: UUID
    user_id: UUID
    email: str
    role: str
    joined_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known here of a person: since when tokens count, and where they belong, in the order of joining."""

    memberships: Sequence[Member]
    tokens_valid_after: datetime | None
    kept_session: UUID | None
    has_ended: bool
    """Whether this session was logged out."""

    def accepts(self, session_id: UUID, issued_at: datetime) -> bool:
        if self.has_ended:
            return False
        since = self.tokens_valid_after
        return since is None or session_id == self.kept_session or issued_at >= since.replace(microsecond=0)

    def member_of(self, organization_id: UUID) -> Member | None:
        return next((one for one in self.memberships if one.organization_id == organization_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Somebody who came to the service, and where they belong, in the order of joining."""

    id: UUID
    email: str
    created_at: datetime
    memberships: Sequence[Member]


MEMBERS = select(memberships, users.c.email).join(users, users.c.id == memberships.c.user_id)
IN_ORDER = (memberships.c.joined_at, memberships.c.user_id, memberships.c.organization_id)
STANDING = (
    select(
        *users.c["email", "tokens_valid_after", "kept_session"],
        memberships,
        ended_sessions.c.session_id.label("ended"),
    )
    .outerjoin_from(users, memberships, memberships.c.user_id == users.c.id)
    .outerjoin(ended_sessions, ended_sessions.c.session_id == bindparam("session"))
    .where(users.c.id == bindparam("user"))
    .order_by(*IN_ORDER)
)
"""A row a membership; one without any for who has none."""


def standing(connection: Connection, user_id: UUID, session_id: UUID) -> Standing | None:
    """None for somebody who never came to us."""
    rows = connection.execute(STANDING, {"user": user_id, "session": session_id}).all()
    if not rows:
        return None
    return Standing(
        memberships=[_read(row) for row in rows if row.organization_id is not None],
        tokens_valid_after=rows[0].tokens_valid_after,
        kept_session=rows[0].kept_session,
        has_ended=rows[0].ended is not None,
    )


def add_user(connection: Connection, user_id: UUID, email: str, now: datetime) -> bool:
    """Whether they are new: of two transactions that add the same person, the second waits and is told no."""
    row = {"id": user_id, "email": email, "created_at": now}
    return _insert_new(connection, users, row)


def set_email(connection: Connection, user_id: UUID, email: str) -> None:
    connection.execute(update(users).where(users.c.id == user_id, users.c.email != email).values(email=email))


def add_member(connection: Connection, organization_id: UUID, user_id: UUID, role: str, now: datetime) -> bool:
    """Whether they were none before."""
    row = {"organization_id": organization_id, "user_id": user_id, "role": role, "joined_at": now}
    return _insert_new(connection, memberships, row)


def get(connection: Connection, organization_id: UUID, user_id: UUID) -> Member | None:
    row = connection.execute(MEMBERS.where(_one(organization_id, user_id))).one_or_none()
    return _read(row) if row else None


def of_organization(
    connection: Connection,
    organization_id: UUID,
    *,
    limit: int | None = None,
    after: tuple[datetime, UUID] | None = None,
) -> Sequence[Member]:
    """In joining order, after the one who joined then."""
    chosen = MEMBERS.where(memberships.c.organization_id == organization_id, *_after(after))
    return [_read(row) for row in connection.execute(chosen.order_by(*IN_ORDER).limit(limit))]


def of_address(connection: Connection, organization_id: UUID, email: str) -> Member | None:
    """Whoever of the organization has this address, which is in small letters; the first of several."""
    whose = (memberships.c.organization_id == organization_id, func.lower(users.c.email) == email)
    row = connection.execute(MEMBERS.where(*whose).order_by(*IN_ORDER).limit(1)).one_or_none()
    return _read(row) if row else None


def organizations_of(connection: Connection, user_id: UUID) -> Sequence[UUID]:
    """In an order in which they can be locked."""
    theirs = select(memberships.c.organization_id).where(memberships.c.user_id == user_id)
    return connection.execute(theirs.order_by(memberships.c.organization_id)).scalars().all()


def count_owners(connection: Connection, organization_id: UUID) -> int:
    owners = (memberships.c.organization_id == organization_id, memberships.c.role == "owner")
    return int(connection.execute(select(func.count()).select_from(memberships).where(*owners)).scalar_one())


def everybody(connection: Connection, organization_id: UUID | None = None) -> Sequence[Known]:
    """Who came first is first; those of one organization, if it is named, with their membership of it alone."""
    theirs: dict[UUID, list[Member]] = {}
    chosen = MEMBERS if organization_id is None else MEMBERS.where(memberships.c.organization_id == organization_id)
    for row in connection.execute(chosen.order_by(*IN_ORDER)):
        theirs.setdefault(row.user_id, []).append(_read(row))
    people = connection.execute(select(users).order_by(users.c.created_at, users.c.id))
    return [
        Known(id=one.id, email=one.email, created_at=one.created_at, memberships=theirs.get(one.id, []))
        for one in people
        if organization_id is None or one.id in theirs
    ]


def count(connection: Connection, organization_id: UUID) -> int:
    number = select(func.count()).where(memberships.c.organization_id == organization_id)
    return int(connection.execute(number).scalar_one())


def set_role(connection: Connection, organization_id: UUID, user_id: UUID, role: str) -> None:
    connection.execute(update(memberships).where(_one(organization_id, user_id)).values(role=role))


def remove(connection: Connection, organization_id: UUID, user_id: UUID) -> None:
    connection.execute(delete(memberships).where(_one(organization_id, user_id)))


def withdraw_invitations(connection: Connection, member: Member, above: str | None = None) -> None:
    """Those that they sent and that nobody has accepted: all, or what the role `above` could not give."""
    kept = {"owner": ("owner", "admin", "member"), "admin": ("admin", "member")}.get(above or "", ())
    theirs = and_(invitations.c.organization_id == member.organization_id, invitations.c.invited_by == member.user_id)
    connection.execute(delete(invitations).where(theirs, invitations.c.role.not_in(kept)))


def end_session(connection: Connection, session_id: UUID, expires_at: datetime) -> None:
    """Nothing that it was given opens anything from now on; forgets the ended ones that have expired anyway."""
    connection.execute(delete(ended_sessions).where(ended_sessions.c.expires_at < func.now()))
    _insert_new(connection, ended_sessions, {"session_id": session_id, "expires_at": expires_at})


def end_sessions(connection: Connection, user_id: UUID, now: datetime, kept: UUID | None) -> None:
    """All of a person's tokens until now count no more, but for those of the session that is kept."""
    connection.execute(update(users).where(users.c.id == user_id).values(tokens_valid_after=now, kept_session=kept))


def _one(organization_id: UUID, user_id: UUID) -> Any:
    return and_(memberships.c.organization_id == organization_id, memberships.c.user_id == user_id)


def _after(place: tuple[datetime, UUID] | None) -> list[ColumnElement[bool]]:
    if place is None:
        return []
    moment, user_id = place
    same = and_(memberships.c.joined_at == moment, memberships.c.user_id > user_id)
    return [or_(memberships.c.joined_at > moment, same)]


def _insert_new(connection: Connection, table: Table, row: dict[str, Any]) -> bool:
    statement = dialects.insert(connection, table).values(row).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1


def _read(row: Row[*tuple[Any, ...]]) -> Member:
    return Member(**{name: row._mapping[name] for name in Member.__dataclass_fields__})

"""What happens in our own database when people come and go."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete

from app import audit
from app.auth.provisioning import provision
from app.auth.verifier import LEEWAY
from app.invitations import acceptance
from app.members import repository as members
from app.models import notices
from app.principal import Person
from pipelines.store import dialects

Details = Mapping[str, Any]


def arrive(
    connection: Connection,
    person: Person,
    action: str | None,
    details: Details | None = None,
    organization_name: str | None = None,
    invitation_hash: str | None = None,
    *,
    is_closed: bool,
) -> UUID | None:
    """Gives a newcomer what belongs to them and answers with the default organization, if there is one.

    While signing up `is_closed` that is what they are invited to, by the token of the invitation.

    Raises InvitationNotFound or NotInvited.
    """
    if invitation_hash is not None:
        acceptance.accept(connection, invitation_hash, person.user_id, person.email, datetime.now(UTC))
    else:
        provision(connection, person, organization_name, is_closed=is_closed)
    if action:
        note(connection, action, person.user_id, details)
    standing = members.standing(connection, person.user_id, person.session_id)
    return standing.memberships[0].organization_id if standing and standing.memberships else None


def note(connection: Connection, action: str, user_id: UUID | None, details: Details | None = None) -> None:
    """What somebody did with their own account; nobody, when it is not known who."""
    actor = audit.user(user_id) if user_id else audit.NOBODY
    audit.record(connection, action, actor, user_id=user_id, details=details)


def leave(connection: Connection, person: Person, scope: str, since: datetime) -> None:
    """Ends what the scope names: this session, the others, or all."""
    if scope != "others":
        lifetime = person.expires_at - person.issued_at + timedelta(seconds=2 * LEEWAY)
        members.end_session(connection, person.session_id, since + lifetime)
    if scope != "local":
        members.end_sessions(connection, person.user_id, since, person.session_id if scope == "others" else None)
    note(connection, "logged_out", person.user_id, {"scope": scope})


def change_password(connection: Connection, person: Person, since: datetime) -> None:
    """The other sessions end."""
    members.end_sessions(connection, person.user_id, since, person.session_id)
    note(connection, "password_changed", person.user_id)


def take_turn(connection: Connection, email: str, now: datetime, interval: timedelta) -> bool:
    """Whether the last notice to this address is an interval ago; this one is the last one then, in all processes."""
    first = dialects.insert(connection, notices).values(email=email, sent_at=now)
    renewed = first.on_conflict_do_update(
        index_elements=["email"], set_={"sent_at": now}, where=notices.c.sent_at <= now - interval
    )
    return connection.execute(renewed.returning(notices.c.email)).one_or_none() is not None


def give_turn_back(connection: Connection, email: str) -> None:
    connection.execute(delete(notices).where(notices.c.email == email))

"""Who is asking: the person behind a bearer token, or an administrator."""

import uuid
from dataclasses import dataclass
from typing import Any

from app.auth.embedded import sessions, users
from app.auth.embedded.errors import IdentityError, bad_jwt, no_authorization, not_admin, session_not_found, user_banned
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User

ADMIN_ROLES = ("service_role", "supabase_admin")


@dataclass(frozen=True)
class Caller:
    user_id: uuid.UUID
    session_id: uuid.UUID | None


async def caller(identity: Identity, token: str | None) -> Caller:
    """Whom the token names; whether they still are is for `present` to say."""
    claims = await _claims(identity, token)
    if not claims.get("sub"):
        raise IdentityError(403, "bad_jwt", "invalid claim: missing sub claim")
    return Caller(_uuid(claims["sub"]), _uuid(claims["session_id"]) if claims.get("session_id") else None)


async def administrator(identity: Identity, token: str | None) -> None:
    claims = await _claims(identity, token)
    if claims.get("role") not in ADMIN_ROLES:
        raise not_admin()


async def present(work: Work, who: Caller, *, lock: bool = True) -> User:
    """The caller, whose session has not ended and who is not banned."""
    user = await users.by_id(work.db, who.user_id, lock=lock)
    if user is None:
        raise IdentityError(403, "user_not_found", "User from sub claim in JWT does not exist")
    if who.session_id is None or not await sessions.exists(work, user.id, who.session_id):
        raise session_not_found()
    if users.is_banned(user, work.now):
        raise user_banned(403)
    return user


async def _claims(identity: Identity, token: str | None) -> dict[str, Any]:
    if not token:
        raise no_authorization()
    await identity.keys.load()
    return await identity.keys.verify(token)


def _uuid(value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(str(value))
    except ValueError as fault:
        raise bad_jwt("a claim is not a UUID") from fault

"""Sessions and the tokens they give."""

import secrets
import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from app.auth.embedded import refresh_tokens, users
from app.auth.embedded.errors import IdentityError, refresh_token_not_found
from app.auth.embedded.identity import Work
from app.auth.embedded.models import User, UserSession
from app.auth.embedded.views import Json, user_json


async def start(work: Work, user: User, method: str) -> Json:
    """A new session's tokens."""
    session = UserSession(
        id=uuid.uuid4(),
        user_id=user.id,
        refresh_key=secrets.token_bytes(32),
        refresh_counter=0,
        refreshed_at=work.now,
        amr=[{"method": method, "timestamp": int(work.now.timestamp())}],
        created_at=work.now,
    )
    user.last_sign_in_at = work.now
    await work.db.flush()
    work.db.add(session)
    await work.db.flush()
    work.record("logged_in", user, session.id, method=method)
    return token_set(work, user, session)


def token_set(work: Work, user: User, session: UserSession) -> Json:
    lifetime = work.settings.access_token_lifetime
    issued = int(work.now.timestamp())
    return {
        "access_token": work.keys.sign(_claims(work, user, session, issued)),
        "token_type": "bearer",
        "expires_in": lifetime,
        "expires_at": issued + lifetime,
        "refresh_token": refresh_tokens.encode(session.refresh_key, session.id, session.refresh_counter),
        "user": user_json(user),
    }


def _claims(work: Work, user: User, session: UserSession, issued: int) -> dict[str, Any]:
    return {
        "iss": work.settings.url,
        "sub": str(user.id),
        "aud": user.aud,
        "iat": issued,
        "exp": issued + work.settings.access_token_lifetime,
        "email": user.email,
        "phone": user.phone,
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "role": user.role,
        "aal": "aal1",
        "amr": session.amr,
        "session_id": str(session.id),
        "is_anonymous": False,
    }


async def refresh(work: Work, token: str) -> Json:
    """The next token for the current one; the current one for its predecessor; the end for an older one."""
    shown = refresh_tokens.decode(token)
    session = await work.db.scalar(select(UserSession).where(UserSession.id == shown.session_id).with_for_update())
    if session is None:
        raise refresh_token_not_found()
    if not shown.is_of(session.refresh_key) or shown.counter > session.refresh_counter:
        raise refresh_tokens.not_valid()
    user = await users.by_id(work.db, session.user_id)
    if user is None or user.deleted_at is not None:
        raise refresh_token_not_found()
    if users.is_banned(user, work.now):
        raise IdentityError(400, "user_banned", "Invalid Refresh Token: User Banned")
    await _advance(work, user, session, shown.counter)
    return token_set(work, user, session)


async def _advance(work: Work, user: User, session: UserSession, counter: int) -> None:
    if counter == session.refresh_counter:
        session.refresh_counter, session.refreshed_at = counter + 1, work.now
        user.last_sign_in_at = work.now
    elif counter < session.refresh_counter - 1 and work.expired(session.refreshed_at, work.settings.reuse_interval):
        await work.db.delete(session)
        work.record("token_reused", user, session.id)
        raise IdentityError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used", keep=True)


async def end(work: Work, user: User, *, only: uuid.UUID | None = None, but: uuid.UUID | None = None) -> None:
    """End one session, all but one, or all."""
    query = delete(UserSession).where(UserSession.user_id == user.id)
    if only is not None:
        query = query.where(UserSession.id == only)
    if but is not None:
        query = query.where(UserSession.id != but)
    await work.db.execute(query)


async def exists(work: Work, user_id: uuid.UUID, session_id: uuid.UUID) -> bool:
    query = select(UserSession.created_at).where(UserSession.id == session_id, UserSession.user_id == user_id)
    found: datetime | None = await work.db.scalar(query)
    return found is not None

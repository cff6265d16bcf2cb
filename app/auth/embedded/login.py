"""Password login and the other grants."""

from app.auth.embedded import flows, sessions, users
from app.auth.embedded.errors import IdentityError, invalid, invalid_credentials, user_banned
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.schemas import PasswordGrant, PkceGrant, RefreshGrant
from app.auth.embedded.views import Json


async def by_password(identity: Identity, params: PasswordGrant) -> Json:
    if not params.email and params.phone:
        raise IdentityError(422, "phone_provider_disabled", "Phone logins are disabled")
    if not params.email:
        raise invalid("missing email or phone")
    async with identity.reading() as reading:
        user = await users.by_email(reading.db, params.email, lock=False)
    known_hash = user.password_hash if user else None
    right = await identity.passwords.verify(known_hash, params.password)
    fresh = await _rehashed(identity, known_hash, params.password) if right else None
    async with identity.transaction() as work:
        return {**await _enter(work, params.email, known_hash if right else None, fresh), "weak_password": None}


async def _rehashed(identity: Identity, known_hash: str | None, password: str) -> str | None:
    """Hashes brought along become our own at the first login."""
    outdated = known_hash is not None and identity.passwords.outdated(known_hash)
    return await identity.passwords.hash(password) if outdated else None


async def _enter(work: Work, email: str, right_hash: str | None, fresh: str | None) -> Json:
    user = await users.by_email(work.db, email)
    if user is None or right_hash is None or user.password_hash != right_hash:
        work.record("login_failed", user)
        refusal = invalid_credentials()
        refusal.keep = True
        raise refusal
    if users.is_banned(user, work.now):
        raise user_banned(400)
    if user.email_confirmed_at is None:
        raise IdentityError(400, "email_not_confirmed", "Email not confirmed")
    user.password_hash = fresh or user.password_hash
    return await sessions.start(work, user, "password")


async def by_refresh_token(identity: Identity, params: RefreshGrant) -> Json:
    async with identity.transaction() as work:
        return await sessions.refresh(work, params.refresh_token)


async def by_code(identity: Identity, params: PkceGrant) -> Json:
    async with identity.transaction() as work:
        flow = await flows.exchange(work, params.auth_code, params.code_verifier)
        user: User | None = await users.by_id(work.db, flow.user_id) if flow.user_id else None
        if user is None or users.is_banned(user, work.now):
            raise user_banned(403)
        await flows.sweep(work)
        return {**await sessions.start(work, user, flow.method), **flow.provider_tokens}

"""What people change about themselves."""

import uuid

from app.auth.embedded import access, email_change, letters, one_time_tokens, outgoing, sessions, users
from app.auth.embedded.access import Caller
from app.auth.embedded.errors import IdentityError, invalid, same_password
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.outgoing import Outgoing
from app.auth.embedded.passwords import check_strength
from app.auth.embedded.schemas import UserUpdate
from app.auth.embedded.views import Json, user_json

SCOPES = ("global", "local", "others")


async def read(identity: Identity, who: Caller) -> Json:
    async with identity.reading() as work:
        return user_json(await access.present(work, who, lock=False))


async def update(identity: Identity, who: Caller, params: UserUpdate, redirect_to: str) -> Json:
    async with identity.reading() as reading:
        user = await access.present(reading, who, lock=False)
    _check(user, params)
    password_hash = await _new_hash(identity, user, params.password)
    async with identity.transaction() as work:
        user = await access.present(work, who)
        await _apply(work, user, who, params, password_hash)
        mails = await email_change.begin(work, user, params.email, redirect_to) if params.email else []
    await outgoing.deliver(identity, *mails, failure="Error sending email change email")
    return user_json(user)


def _check(user: User, params: UserUpdate) -> None:
    if params.app_metadata is not None:
        raise IdentityError(403, "not_admin", "Updating app_metadata requires admin privileges")
    if params.phone:
        raise IdentityError(400, "phone_provider_disabled", "Phone signups are disabled")
    if user.is_sso and (params.password is not None or params.email):
        raise IdentityError(422, "user_sso_managed", "Cannot update the email or password of an SSO user")
    if params.email:
        users.checked_address(params.email)


async def _new_hash(identity: Identity, user: User, password: str | None) -> str | None:
    if password is None:
        return None
    check_strength(password, identity.settings.password_min_length)
    if user.password_hash and await identity.passwords.verify(user.password_hash, password):
        raise same_password()
    return await identity.passwords.hash(password)


async def _apply(work: Work, user: User, who: Caller, params: UserUpdate, password_hash: str | None) -> None:
    if params.data:
        user.user_metadata = users.merged(user.user_metadata, params.data)
    if password_hash:
        await set_password(work, user, password_hash, keep=who.session_id)
    user.updated_at = work.now


async def set_password(work: Work, user: User, password_hash: str, *, keep: uuid.UUID | None) -> None:
    """The other sessions end, and open links are void."""
    user.password_hash = password_hash
    await sessions.end(work, user, but=keep)
    await users.drop_tokens(work.db, user)
    work.record("password_changed", user, keep)


async def log_out(identity: Identity, who: Caller, scope: str) -> None:
    async with identity.transaction() as work:
        user = await access.present(work, who)
        if scope not in SCOPES:
            raise invalid(f'Unsupported logout scope "{scope}"')
        only = who.session_id if scope == "local" else None
        await sessions.end(work, user, only=only, but=who.session_id if scope == "others" else None)
        work.record("logged_out", user, who.session_id, scope=scope)


async def reauthenticate(identity: Identity, who: Caller) -> None:
    async with identity.transaction() as work:
        user = await access.present(work, who)
        outgoing.check_interval(work, user, "reauthentication_sent_at")
        before = outgoing.mark_sent(work, user, "reauthentication_sent_at")
        minted = await one_time_tokens.mint(work, user, "reauthentication", user.email)
        mail = letters.with_code(user.email, minted.code)
    sent = Outgoing(mail, user.id, minted, "reauthentication_sent_at", before)
    await outgoing.deliver(identity, sent, failure="Error sending reauthentication email")

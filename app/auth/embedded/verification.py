"""What a link or a code from a mail does, once."""

import uuid
from dataclasses import dataclass

from app.auth.embedded import email_change, flows, one_time_tokens, sessions, users
from app.auth.embedded.errors import IdentityError, invalid, link_expired, user_banned
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import FlowState, OneTimeToken, User
from app.auth.embedded.redirects import with_fragment, with_query
from app.auth.embedded.schemas import Verify
from app.auth.embedded.views import Json

OTHER_ADDRESS = "Confirmation link accepted. Please proceed to confirm link sent to the other email"


@dataclass(frozen=True)
class Verified:
    user: User
    flow_id: uuid.UUID | None
    half: bool = False


async def by_post(identity: Identity, params: Verify) -> Json:
    _check(params)
    async with identity.transaction() as work:
        done = await (_by_link(work, params.type, params.token_hash) if params.token_hash else _by_code(work, params))
        if done.half:
            return {"code": "200", "msg": OTHER_ADDRESS}
        return await sessions.start(work, done.user, "otp")


def _check(params: Verify) -> None:
    if not params.type:
        raise invalid("Verify requires a verification type")
    if bool(params.token) == bool(params.token_hash):
        raise invalid("Verify requires either a token or a token hash")
    if params.token_hash and (params.email or params.phone):
        raise invalid("Only the token_hash and type should be provided")
    if params.token and not params.email:
        raise invalid("Only an email address or phone number should be provided on verify")


async def by_browser(identity: Identity, link_type: str, token: str, redirect_to: str) -> str:
    """Where the browser goes after the link: with a code for PKCE, else with the tokens in the fragment."""
    async with identity.transaction() as work:
        done = await _by_link(work, link_type, token)
        if done.half:
            return with_fragment(redirect_to, {"message": OTHER_ADDRESS, "sb": ""})
        flow = await work.db.get(FlowState, done.flow_id) if done.flow_id else None
        if flow:
            return with_query(redirect_to, {"code": flows.issue_code(work, flow, done.user)})
        return with_tokens(redirect_to, await sessions.start(work, done.user, "otp"), {"type": link_type})


def with_tokens(redirect_to: str, tokens: Json, extra: dict[str, str]) -> str:
    shown = ("access_token", "expires_at", "expires_in", "refresh_token", "token_type")
    return with_fragment(redirect_to, {name: str(tokens[name]) for name in shown} | {"sb": ""} | extra)


async def _by_link(work: Work, link_type: str, token: str) -> Verified:
    row = await one_time_tokens.consume_link(work, link_type, token)
    user = await users.by_id(work.db, row.user_id)
    if user is None:
        raise link_expired()
    return await _accept(work, user, row)


async def _by_code(work: Work, params: Verify) -> Verified:
    user = await users.by_email(work.db, params.email)
    if user is None and params.type == "email_change":
        user = await users.by_new_email(work.db, params.email)
    row = await one_time_tokens.consume_code(work, params.type, user, params.token)
    if user is None:
        raise link_expired()
    return await _accept(work, user, row)


async def _accept(work: Work, user: User, row: OneTimeToken) -> Verified:
    if users.is_banned(user, work.now):
        raise user_banned(403)
    if row.kind in email_change.CHANGES:
        return await _accept_change(work, user)
    _confirm(work, user, row)
    await users.drop_tokens(work.db, user)
    return Verified(user, row.flow_id)


async def _accept_change(work: Work, user: User) -> Verified:
    await work.db.flush()
    if await email_change.half_done(work, user):
        return Verified(user, None, half=True)
    await email_change.apply(work, user)
    return Verified(user, None)


def _confirm(work: Work, user: User, row: OneTimeToken) -> None:
    if user.email_confirmed_at is None and not row.keeps_password:
        users.forget_pending_sign_up(work, user)
    if row.kind == "confirmation":
        users.mark_address_verified(work, user)
    if user.email_confirmed_at is None:
        users.confirm(work, user)


def refusal_at(redirect_to: str, refusal: IdentityError, *, in_query: bool) -> str:
    """The refusal as a browser is told it."""
    told = {"error": error_name(refusal), "error_code": refusal.code, "error_description": refusal.message}
    told = {name: value for name, value in told.items() if value}
    target = with_query(redirect_to, told) if in_query else redirect_to
    return with_fragment(target, {**told, "sb": ""})


def error_name(refusal: IdentityError) -> str:
    if refusal.code in ("signup_disabled", "user_banned", "provider_email_needs_verification"):
        return "access_denied"
    names = {400: "invalid_request", 401: "access_denied", 403: "access_denied", 500: "server_error"}
    return names.get(refusal.status, "temporarily_unavailable" if refusal.status == 503 else "")

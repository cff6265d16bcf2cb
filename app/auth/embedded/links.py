"""Mails asked for by an address: magic link, recovery, resending, invitation."""

from app.auth.embedded import email_change, flows, one_time_tokens, outgoing, users
from app.auth.embedded.errors import IdentityError, email_exists, invalid, signup_disabled
from app.auth.embedded.flows import Challenge, checked_challenge
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.outgoing import Outgoing
from app.auth.embedded.schemas import Data, Invite, Otp, Recover, Resend
from app.auth.embedded.signup import MAIL_FAILED, register
from app.auth.embedded.views import Json, user_json

RESENT = "Missing one of these types: signup, email_change, sms, phone_change"


async def magic_link(identity: Identity, params: Otp, redirect_to: str) -> None:
    challenge = _checked_otp(params)
    email = users.checked_address(params.email)
    async with identity.transaction() as work:
        user = await users.by_email(work.db, email)
        created = user is None
        user = user or await _newcomer(work, email, params)
        mail = await _magic_link(work, user, redirect_to, challenge, created=created)
    await outgoing.deliver(identity, mail, failure="Error sending magic link email")


def _checked_otp(params: Otp) -> Challenge | None:
    if params.email and params.phone:
        raise invalid("Only an email address or phone number should be provided")
    if params.phone:
        raise IdentityError(400, "phone_provider_disabled", "Unsupported phone provider")
    if not params.email:
        raise invalid("One of email or phone must be set")
    return checked_challenge(params.code_challenge, params.code_challenge_method)


async def _newcomer(work: Work, email: str, params: Otp) -> User:
    if not params.create_user:
        raise IdentityError(422, "otp_disabled", "Signups not allowed for otp")
    if not work.settings.signup_enabled:
        raise signup_disabled()
    return await register(work, None, email, params.data, None)


async def _magic_link(
    work: Work, user: User, redirect_to: str, challenge: Challenge | None, *, created: bool
) -> Outgoing:
    method = "magiclink" if user.email_confirmed_at else "email/signup"
    flow_id = flows.flow_of_link(work, method, redirect_to, challenge, user)
    if user.email_confirmed_at:
        return await outgoing.write(work, user, "magiclink", redirect_to, flow_id=flow_id)
    return await outgoing.write(
        work, user, "signup", redirect_to, keeps_password=created, flow_id=flow_id, created=created
    )


async def recover(identity: Identity, params: Recover, redirect_to: str) -> None:
    if not params.email:
        raise invalid("Password recovery requires an email")
    challenge = checked_challenge(params.code_challenge, params.code_challenge_method)
    email = users.checked_address(params.email)
    async with identity.transaction() as work:
        user = await users.by_email(work.db, email)
        if user is None:
            return
        flow_id = flows.flow_of_link(work, "recovery", redirect_to, challenge, user)
        mail = await outgoing.write(work, user, "recovery", redirect_to, flow_id=flow_id)
    await outgoing.deliver(identity, mail, failure="Error sending recovery email")


async def resend(identity: Identity, params: Resend, redirect_to: str) -> None:
    if params.type in ("sms", "phone_change"):
        raise IdentityError(400, "phone_provider_disabled", "Phone logins are disabled")
    if params.type not in ("signup", "email_change"):
        raise invalid(RESENT)
    if not params.email:
        raise invalid("Type provided requires an email address")
    email = users.checked_address(params.email)
    async with identity.transaction() as work:
        user = await users.by_email(work.db, email)
        mails = await _again(work, user, params.type, redirect_to) if user else []
    await outgoing.deliver(identity, *mails, failure=MAIL_FAILED)


async def _again(work: Work, user: User, kind: str, redirect_to: str) -> list[Outgoing]:
    if kind == "email_change":
        return await email_change.letters_for(work, user, redirect_to) if user.new_email else []
    if user.email_confirmed_at:
        return []
    own = await _last_link_was_their_own(work, user)
    return [await outgoing.write(work, user, "signup", redirect_to, keeps_password=own)]


async def _last_link_was_their_own(work: Work, user: User) -> bool:
    last = await one_time_tokens.last(work, user, "confirmation")
    return last is not None and last.keeps_password


async def invite(identity: Identity, params: Invite, redirect_to: str) -> Json:
    if not params.email:
        raise invalid("An email address is required")
    email = users.checked_address(params.email)
    async with identity.transaction() as work:
        known = await users.by_email(work.db, email)
        user, own = await invited(work, known, email, params.data)
        mail = await outgoing.write(work, user, "invite", redirect_to, keeps_password=own, created=known is None)
    await outgoing.deliver(identity, mail, failure="Error sending invite email")
    return user_json(user)


async def invited(work: Work, known: User | None, email: str, data: Data) -> tuple[User, bool]:
    """The person to invite, and whether nothing but invitations made them."""
    if known and known.email_confirmed_at:
        raise email_exists()
    own = known is None or (known.invited_at is not None and await _last_link_was_their_own(work, known))
    user = known or await register(work, None, email, data, None, with_address=False)
    user.invited_at = work.now
    return user, own

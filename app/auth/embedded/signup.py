"""Sign-up: a password belongs to the sign-up that set it, and only that one's link puts it in force."""

from app.auth.embedded import flows, one_time_tokens, outgoing, users
from app.auth.embedded.errors import IdentityError, invalid, signup_disabled
from app.auth.embedded.flows import Challenge, checked_challenge
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.outgoing import Outgoing
from app.auth.embedded.passwords import check_strength
from app.auth.embedded.schemas import Data, Signup
from app.auth.embedded.views import Json, nobody_json, user_json

MAIL_FAILED = "Error sending confirmation email"


async def sign_up(identity: Identity, params: Signup, redirect_to: str) -> Json:
    challenge = _checked(identity, params)
    email = users.checked_address(params.email)
    password_hash = await identity.passwords.hash(params.password)
    async with identity.transaction() as work:
        known = await users.by_email(work.db, email)
        if known and (known.email_confirmed_at or users.is_banned(known, work.now)):
            return nobody_json(email, work.now)
        earlier = await one_time_tokens.last(work, known, "confirmation") if known else None
        user = await register(work, known, email, params.data, password_hash)
        guesses = earlier.attempts if earlier else 0
        mail = await confirmation(work, user, redirect_to, challenge, guesses)
    await outgoing.deliver(identity, mail, failure=MAIL_FAILED)
    return user_json(user)


def _checked(identity: Identity, params: Signup) -> Challenge | None:
    if not identity.settings.signup_enabled:
        raise signup_disabled()
    if not params.email and not params.phone:
        raise IdentityError(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")
    if not params.password:
        raise invalid("Signup requires a valid password")
    if not params.email:
        raise IdentityError(400, "phone_provider_disabled", "Phone signups are disabled")
    check_strength(params.password, identity.settings.password_min_length)
    return checked_challenge(params.code_challenge, params.code_challenge_method)


async def register(
    work: Work, known: User | None, email: str, data: Data, password_hash: str | None, *, with_address: bool = True
) -> User:
    """A new person; an earlier one with this address that was never confirmed makes room."""
    if known:
        outgoing.check_interval(work, known, "confirmation_sent_at")
        await replace(work, known)
    user = users.create(work, email, data, password_hash=password_hash)
    if with_address:
        user.user_metadata = {**data, **users.address_claims(user)}
        user.identities[0].identity_data = user.user_metadata
    await work.db.flush()
    work.record("signed_up", user)
    return user


async def replace(work: Work, known: User) -> None:
    work.db.expunge(known)
    await users.erase(work.db, known.id)


async def confirmation(work: Work, user: User, redirect_to: str, challenge: Challenge | None, guesses: int) -> Outgoing:
    """The sign-up's own link; guesses at the replaced one's code count on."""
    flow_id = flows.flow_of_link(work, "email/signup", redirect_to, challenge, user)
    return await outgoing.write(
        work, user, "signup", redirect_to, keeps_password=True, flow_id=flow_id, created=True, guesses=guesses
    )

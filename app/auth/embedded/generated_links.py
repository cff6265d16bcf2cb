"""Links for an administrator to hand over: no mail goes out."""

from dataclasses import dataclass

from app.auth.embedded import links, one_time_tokens, outgoing, users
from app.auth.embedded.errors import IdentityError, email_exists, invalid
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.one_time_tokens import Kind
from app.auth.embedded.outgoing import Sent
from app.auth.embedded.passwords import check_strength
from app.auth.embedded.schemas import GenerateLink
from app.auth.embedded.signup import register, replace
from app.auth.embedded.views import Json, user_json

TYPES = ("signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new")


@dataclass(frozen=True)
class Wanted:
    """A link's type in the address, in the answer, and what it is kept as."""

    link_type: str
    kind: Kind
    sent: Sent
    own: bool = False


async def generate(identity: Identity, params: GenerateLink, redirect_to: str) -> Json:
    email = _checked(identity, params)
    password_hash = await identity.passwords.hash(params.password) if params.type == "signup" else None
    async with identity.transaction() as work:
        user, wanted = await _prepare(work, params, email, password_hash)
        outgoing.mark_sent(work, user, wanted.sent)
        address = user.new_email if params.type == "email_change_new" and user.new_email else user.email
        minted = await one_time_tokens.mint(work, user, wanted.kind, address, keeps_password=wanted.own)
        link = outgoing.link(work, minted.token, wanted.link_type, redirect_to)
    return {
        **user_json(user),
        "action_link": link,
        "email_otp": minted.code,
        "hashed_token": minted.token,
        "verification_type": params.type if wanted.link_type == "email_change" else wanted.link_type,
        "redirect_to": redirect_to,
    }


def _checked(identity: Identity, params: GenerateLink) -> str:
    if not params.email:
        raise invalid("An email address is required")
    if params.type not in TYPES:
        raise invalid(f"Invalid email action link type requested: {params.type}")
    if params.type == "signup":
        if not params.password:
            raise invalid("Signup requires a valid password")
        check_strength(params.password, identity.settings.password_min_length)
    return users.checked_address(params.email)


async def _prepare(work: Work, params: GenerateLink, email: str, password_hash: str | None) -> tuple[User, Wanted]:
    known = await users.by_email(work.db, email)
    if params.type == "signup":
        return await _sign_up(work, known, params, email, password_hash)
    if params.type == "invite":
        user, own = await links.invited(work, known, email, params.data)
        return user, Wanted("invite", "confirmation", "confirmation_sent_at", own)
    if params.type == "magiclink" and known is None:
        return await _sign_up(work, known, params, email, None)
    if known is None:
        raise IdentityError(404, "user_not_found", "User with this email not found")
    if params.type.startswith("email_change"):
        return await _email_change(work, known, params)
    return known, Wanted(params.type, "recovery", "recovery_sent_at")


async def _sign_up(
    work: Work, known: User | None, params: GenerateLink, email: str, password_hash: str | None
) -> tuple[User, Wanted]:
    if known and known.email_confirmed_at:
        raise email_exists()
    if known:
        await replace(work, known)
    user = await register(work, None, email, params.data, password_hash, with_address=False)
    return user, Wanted("signup", "confirmation", "confirmation_sent_at", own=True)


async def _email_change(work: Work, user: User, params: GenerateLink) -> tuple[User, Wanted]:
    if not params.new_email:
        raise invalid("The new email address is required")
    new_email = users.checked_address(params.new_email)
    if await users.by_email(work.db, new_email):
        raise email_exists()
    user.new_email = new_email
    kind: Kind = "email_change_new" if params.type == "email_change_new" else "email_change_current"
    return user, Wanted("email_change", kind, "email_change_sent_at")

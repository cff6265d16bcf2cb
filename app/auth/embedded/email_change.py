"""A new address counts once both the old and the new one have confirmed it."""

from sqlalchemy import select

from app.auth.embedded import letters, one_time_tokens, outgoing, users
from app.auth.embedded.errors import email_exists
from app.auth.embedded.identity import Work
from app.auth.embedded.models import OneTimeToken, User
from app.auth.embedded.one_time_tokens import Kind
from app.auth.embedded.outgoing import Outgoing

CHANGES: tuple[Kind, Kind] = ("email_change_current", "email_change_new")


async def begin(work: Work, user: User, email: str, redirect_to: str) -> list[Outgoing]:
    email = users.checked_address(email)
    if email == user.email:
        return []
    if await users.by_email(work.db, email):
        raise email_exists()
    user.new_email = email
    return await letters_for(work, user, redirect_to)


async def letters_for(work: Work, user: User, redirect_to: str) -> list[Outgoing]:
    outgoing.check_interval(work, user, "email_change_sent_at")
    before = outgoing.mark_sent(work, user, "email_change_sent_at")
    mails = []
    for kind, address in zip(CHANGES, (user.email, user.new_email or ""), strict=True):
        minted = await one_time_tokens.mint(work, user, kind, address)
        link = outgoing.link(work, minted.token, "email_change", redirect_to)
        mail = letters.with_link("email_change", address, link, minted.code)
        mails.append(Outgoing(mail, user.id, minted, "email_change_sent_at", before))
    return mails


async def half_done(work: Work, user: User) -> bool:
    """Is the other address still to confirm?"""
    query = select(OneTimeToken.id).where(OneTimeToken.user_id == user.id, OneTimeToken.kind.in_(CHANGES))
    return await work.db.scalar(query) is not None


async def apply(work: Work, user: User) -> None:
    if not user.new_email or await users.by_email(work.db, user.new_email):
        raise email_exists()
    user.email, user.new_email, user.updated_at = user.new_email, None, work.now
    user.email_confirmed_at = user.email_confirmed_at or work.now
    _move_identity(work, user)
    await users.drop_tokens(work.db, user)
    work.record("email_changed", user)


def _move_identity(work: Work, user: User) -> None:
    own = next((i for i in user.identities if i.provider == "email"), None)
    own = own or users.add_identity(work, user, "email", str(user.id), users.address_claims(user))
    own.email, own.updated_at = user.email, work.now
    own.identity_data = {**own.identity_data, "email": user.email, "email_verified": True}
    users.list_providers(user)

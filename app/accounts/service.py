"""Signing up, logging in and out, and passwords."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from app.accounts import repository
from app.accounts.desk import Desk
from app.accounts.refusals import EmailNotVerified, InvalidCredentials, TokenReused, WeakPassword
from app.accounts.tokens import Arrival, TokenSet
from app.auth.client import (
    FOLLOWING_A_LINK,
    REFRESHING,
    AccountExists,
    MailHeldBack,
    as_administrator,
    as_anybody,
)
from app.digests import digest
from app.invitations import acceptance
from app.principal import Person

if TYPE_CHECKING:
    from supabase_auth import Session, User

AT_ONCE = timedelta(seconds=2)
"""Between the making of a user and the mail of the same sign-up."""
Scope = Literal["local", "others", "global"]
NO_REFRESH_TOKEN = "-"  # noqa: S105 - the client wants one to hold a session, and never uses it
LABEL = "organization_name"
"""Where the wanted name travels: a label that people may write themselves, and no right."""


async def sign_up(desk: Desk, email: str, password: str, organization_name: str) -> UUID:
    """The same for every address; one with an account gets a mail that says so. The id may be nobody's."""
    async with desk.floor.held():
        user = await _registered(desk, email, password, organization_name)
        is_known = user is None or user.identities == []
        if user is not None and is_known:
            await desk.notices.account_exists(email)
        user_id = None if user is None or is_known else UUID(user.id)
        await desk.database.write(repository.note, "signed_up", user_id, {"email": email, "known": is_known})
        return UUID(user.id) if user else uuid.uuid4()


async def _registered(desk: Desk, email: str, password: str, organization_name: str) -> User | None:
    """None where no mail is sent because one was a moment ago."""
    try:
        user = await _submit(desk, email, password, organization_name)
        if user is not None and _is_older(user):
            async with as_administrator(desk.identity) as client:
                await client.admin.delete_user(user.id)
            user = await _submit(desk, email, password, organization_name)
        return user
    except MailHeldBack:
        return None
    except AccountExists:  # a project that confirms by itself says so
        await desk.notices.account_exists(email)
        return None


async def _submit(desk: Desk, email: str, password: str, organization_name: str) -> User | None:
    async with as_anybody(desk.identity) as client:
        data = {LABEL: organization_name}
        answer = await client.sign_up({"email": email, "password": password, "options": {"data": data}})
        return answer.user


def _is_older(user: User) -> bool:
    """Whether an earlier sign-up waits for its confirmation: Supabase would keep that one's password."""
    sent = user.confirmation_sent_at
    if not user.identities or user.email_confirmed_at or sent is None:
        return False
    return sent - user.created_at > AT_ONCE


async def sign_up_invited(desk: Desk, email: str, password: str, token: str) -> UUID:
    """Joins the organization of the invitation, whose mail has shown that the address is theirs.

    Raises InvitationNotFound or NotInvited. An address with an account is answered as any other; it has to log in.
    """
    async with desk.floor.held():
        invitation = digest(token)
        await desk.database.read(acceptance.find, invitation, email, datetime.now(UTC))
        try:
            session = await _invited(desk, email, password)
        except AccountExists:
            await desk.notices.account_exists(email)
            return uuid.uuid4()
        details = {"email": email, "invited": True}
        arrival = await desk.arrive(session, "signed_up", details, invitation_hash=invitation)
        await desk.sign_out(await desk.person(session), "local")
        return arrival.user_id


async def _invited(desk: Desk, email: str, password: str) -> Session | None:
    """What others left behind at this address is gone once the link is followed, a password before all."""
    async with as_administrator(desk.identity) as client:
        link = await client.admin.generate_link({"type": "invite", "email": email})
    async with as_anybody(desk.identity, FOLLOWING_A_LINK) as client:
        answer = await client.verify_otp({"token_hash": link.properties.hashed_token, "type": "invite"})
        await client.update_user({"password": password})
        return answer.session


async def log_in(desk: Desk, email: str, password: str) -> Arrival:
    """Raises InvalidCredentials, or EmailNotVerified after the right password."""
    async with desk.floor.held():
        try:
            async with as_anybody(desk.identity, {"validation_failed": InvalidCredentials}) as client:
                answer = await client.sign_in_with_password({"email": email, "password": password})
        except (InvalidCredentials, EmailNotVerified) as refusal:
            details = {"email": email, "code": refusal.code}
            await desk.database.write(repository.note, "login_failed", None, details)
            raise
        return await desk.arrive(answer.session, "logged_in", {"method": "password"})


async def refresh(desk: Desk, refresh_token: str) -> TokenSet:
    """Raises InvalidRefreshToken."""
    try:
        async with as_anybody(desk.identity, REFRESHING) as client:
            answer = await client.refresh_session(refresh_token)
    except TokenReused:
        await desk.database.write(repository.note, "token_reused", None)
        raise
    return (await desk.arrive(answer.session, None)).tokens


async def verify(desk: Desk, token_hash: str, kind: str) -> Arrival:
    """Uses up the link of a mail. Raises LinkExpired."""
    async with as_anybody(desk.identity, FOLLOWING_A_LINK) as client:
        answer = await client.verify_otp({"token_hash": token_hash, "type": kind})  # type: ignore[typeddict-item]
    return await desk.arrive(answer.session, "logged_in", {"method": f"link:{kind}"})


async def log_out(desk: Desk, person: Person, scope: Scope) -> None:
    """What the scope names ends at the identity server and here, this access token before all."""
    await desk.sign_out(person, scope)
    since = desk.from_now()
    await desk.database.write(repository.leave, person, scope, since)
    if scope != "local":
        await desk.settled(since)


async def change_password(desk: Desk, person: Person, password: str) -> None:
    """Their other sessions end. Raises WeakPassword."""
    async with as_anybody(desk.identity, {"validation_failed": WeakPassword}) as client:
        await client.set_session(person.token, NO_REFRESH_TOKEN)
        await client.update_user({"password": password})
    since = desk.from_now()
    await desk.database.write(repository.change_password, person, since)
    await desk.settled(since)

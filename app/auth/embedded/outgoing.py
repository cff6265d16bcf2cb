"""Mails with links: written down first, sent after the commit, taken back when they cannot be sent.

No transaction is open while the mail server works: under SQLite it would keep every other writer waiting.
"""

import math
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlencode

from app.auth.embedded import letters, one_time_tokens, users
from app.auth.embedded.errors import too_many_mails, unexpected
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.mail import Mail, MailNotSent
from app.auth.embedded.models import User
from app.auth.embedded.one_time_tokens import Minted
from app.auth.embedded.redirects import in_link

Sent = Literal["confirmation_sent_at", "recovery_sent_at", "email_change_sent_at", "reauthentication_sent_at"]


@dataclass(frozen=True)
class Outgoing:
    """A mail and what its undoing needs."""

    mail: Mail
    user_id: uuid.UUID
    minted: Minted
    sent: Sent
    sent_before: datetime | None
    created: bool = False


def check_interval(work: Work, user: User, sent: Sent) -> None:
    before: datetime | None = getattr(user, sent)
    if before is not None:
        left = work.settings.mail_interval - (work.now - before).total_seconds()
        if left > 0:
            raise too_many_mails(max(1, math.floor(left)))


def mark_sent(work: Work, user: User, sent: Sent) -> datetime | None:
    before: datetime | None = getattr(user, sent)
    setattr(user, sent, work.now)
    return before


async def write(
    work: Work,
    user: User,
    letter: letters.Kind,
    redirect_to: str,
    *,
    keeps_password: bool = False,
    flow_id: uuid.UUID | None = None,
    created: bool = False,
    guesses: int = 0,
) -> Outgoing:
    """A mail with a link to the person's address; one a minute."""
    kind = one_time_tokens.kinds_of(letter)[0]
    sent: Sent = "confirmation_sent_at" if kind == "confirmation" else "recovery_sent_at"
    check_interval(work, user, sent)
    before = mark_sent(work, user, sent)
    minted = await one_time_tokens.mint(
        work, user, kind, user.email, keeps_password=keeps_password, flow_id=flow_id, guesses=guesses
    )
    mail = letters.with_link(letter, user.email, link(work, minted.token, letter, redirect_to), minted.code)
    return Outgoing(mail, user.id, minted, sent, before, created)


def link(work: Work, token: str, link_type: str, redirect_to: str) -> str:
    page = work.settings.confirm_url
    if page:
        query = {"token_hash": token, "type": link_type}
        return f"{page}?{urlencode(query | _unless_site(work, redirect_to))}"
    return f"{work.settings.url}/verify?token={token}&type={link_type}&redirect_to={in_link(redirect_to)}"


def _unless_site(work: Work, redirect_to: str) -> dict[str, str]:
    return {} if redirect_to == work.settings.site_url else {"redirect_to": redirect_to}


async def deliver(identity: Identity, *outgoing: Outgoing, failure: str) -> None:
    """Send after the commit; when the mail server refuses, leave things as they were."""
    try:
        for each in outgoing:
            await identity.mailer.send(each.mail)
    except MailNotSent as fault:
        async with identity.transaction() as work:
            for each in outgoing:
                await _take_back(work, each)
        raise unexpected(failure) from fault


async def _take_back(work: Work, outgoing: Outgoing) -> None:
    user = await users.by_id(work.db, outgoing.user_id)
    if user is None:
        return
    if outgoing.created and user.email_confirmed_at is None:
        work.db.expunge(user)
        await users.erase(work.db, outgoing.user_id)
        return
    setattr(user, outgoing.sent, outgoing.sent_before)
    await one_time_tokens.put_back(work, outgoing.minted)

"""Mails that anybody may ask for: the answer is the same, and as late, whatever becomes of them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from app.accounts import repository
from app.accounts.desk import Desk
from app.auth.client import IdentityFailed, MailHeldBack, NoAccount, as_anybody

if TYPE_CHECKING:
    from supabase_auth import AsyncGoTrueClient

logger = logging.getLogger(__name__)

Ask = Callable[["AsyncGoTrueClient"], Awaitable[object]]


async def magic_link(desk: Desk, email: str) -> None:
    """Makes no account for an unknown address."""
    await _ask(
        desk,
        "magic_link",
        lambda client: client.sign_in_with_otp({"email": email, "options": {"should_create_user": False}}),
    )


async def reset_password(desk: Desk, email: str) -> None:
    await _ask(desk, "password_reset", lambda client: client.reset_password_for_email(email))


async def resend_verification(desk: Desk, email: str) -> None:
    await _ask(desk, "verification", lambda client: client.resend({"type": "signup", "email": email}))


async def _ask(desk: Desk, kind: str, ask: Ask) -> None:
    await desk.floor.answer_at(_quietly(desk, kind, ask))


async def _quietly(desk: Desk, kind: str, ask: Ask) -> None:
    try:
        async with as_anybody(desk.identity) as client:
            await ask(client)
    except (NoAccount, MailHeldBack):
        return
    except IdentityFailed:
        logger.warning("a mail could not be sent: %s", kind)
        await desk.database.write(repository.note, "mail_failed", None, {"mail": kind})

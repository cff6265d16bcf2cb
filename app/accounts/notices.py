"""Mails of our own to people with accounts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape
from typing import TYPE_CHECKING

from app.accounts import repository
from app.auth.jwks import IdentityUnavailable
from app.config import Settings
from pipelines.store.database import Database

if TYPE_CHECKING:
    from app.auth.embedded import Mail

SUBJECT = "You have an account already"
TEXT = (
    "Somebody has tried to sign up at {site} with this address, which has an account already."
    " If it was you, log in, or ask there for a link to choose a new password."
)
NOT_YOU = "If it was not you, you can ignore this mail: nothing has changed."


class Notices:
    """Sent as the settings say: by SMTP, or into the outbox folder."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database
        self._interval = timedelta(seconds=settings.identity_mail_interval)

    async def account_exists(self, address: str) -> None:
        """As a sign-up's mail would be sent: not again within the interval between two mails.

        Raises IdentityUnavailable when it cannot be sent, as that one does.
        """
        if await self._database.apply(repository.take_turn, address, datetime.now(UTC), self._interval):
            await self._send(address)

    async def _send(self, address: str) -> None:
        from app.auth.embedded import MailNotSent
        from app.auth.hosting import mailer

        try:
            await mailer(self._settings).send(self._letter(address))
        except MailNotSent:
            await self._database.apply(repository.give_turn_back, address)
            raise IdentityUnavailable from None

    def _letter(self, address: str) -> Mail:
        from app.auth.embedded import Mail

        text = TEXT.format(site=self._settings.public_url)
        return Mail(address, SUBJECT, f"{text}\n\n{NOT_YOU}\n", f"<p>{escape(text)}</p><p>{NOT_YOU}</p>")

"""Mails of our own to people with accounts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from app.auth.jwks import IdentityUnavailable
from app.config import Settings

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

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def account_exists(self, address: str) -> None:
        """As a sign-up's mail would be sent. Raises IdentityUnavailable when it cannot be, as that one does."""
        from app.auth.embedded import MailNotSent
        from app.auth.hosting import mailer

        try:
            await mailer(self._settings).send(self._letter(address))
        except MailNotSent:
            raise IdentityUnavailable from None

    def _letter(self, address: str) -> Mail:
        from app.auth.embedded import Mail

        text = TEXT.format(site=self._settings.public_url)
        return Mail(address, SUBJECT, f"{text}\n\n{NOT_YOU}\n", f"<p>{escape(text)}</p><p>{NOT_YOU}</p>")

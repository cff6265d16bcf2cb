"""Mails and the ways to send them."""

import asyncio
import logging
import secrets
import time
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import default
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Protocol, Self
from urllib.parse import unquote, urlsplit

import aiosmtplib

log = logging.getLogger(__name__)


class MailNotSent(Exception):
    """The mail server did not take it."""


@dataclass(frozen=True)
class Mail:
    to: str
    subject: str
    text: str
    html: str


class Mailer(Protocol):
    """Hand a mail over, or raise `MailNotSent`."""

    async def send(self, mail: Mail) -> None: ...


@dataclass(frozen=True)
class SmtpMailer:
    """Each mail over a connection of its own."""

    host: str
    port: int
    sender: str
    username: str | None = None
    password: str | None = None
    use_tls: bool = False
    start_tls: bool | None = None
    timeout: float = 8.0

    @classmethod
    def at(cls, url: str, sender: str) -> Self:
        """`smtp://[user:password@]host[:port]` takes STARTTLS where it is offered, `smtps://` is TLS from the start."""
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError("an SMTP address looks like smtp://user:password@host:587")
        tls = parts.scheme == "smtps"
        username, password = (unquote(part) if part else None for part in (parts.username, parts.password))
        return cls(parts.hostname, parts.port or (465 if tls else 25), sender, username, password, use_tls=tls)

    async def send(self, mail: Mail) -> None:
        try:
            await aiosmtplib.send(
                as_message(mail, self.sender),
                recipients=[mail.to],
                hostname=self.host,
                port=self.port,
                username=self.username,
                password=self.password,
                use_tls=self.use_tls,
                start_tls=self.start_tls,
                timeout=self.timeout,
            )
        except (aiosmtplib.SMTPException, OSError, ValueError) as fault:
            log.warning("a mail could not be sent: %s", type(fault).__name__)
            raise MailNotSent from fault


@dataclass(frozen=True)
class OutboxMailer:
    """Keeps mails as files; for one machine without a mail server."""

    folder: Path
    sender: str

    async def send(self, mail: Mail) -> None:
        try:
            await asyncio.to_thread(self._write, as_message(mail, self.sender).as_bytes())
        except OSError as fault:
            log.warning("a mail could not be kept: %s", type(fault).__name__)
            raise MailNotSent from fault

    def _write(self, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{time.time_ns()}-{secrets.token_hex(4)}.eml"
        path.touch(mode=0o600)
        path.write_bytes(content)


WHOLE_LINES = default.clone(max_line_length=200)
"""A link stays in one piece where a mail is read as it is, in the outbox."""


def as_message(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage(WHOLE_LINES)
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message["Date"], message["Message-ID"] = formatdate(usegmt=True), make_msgid(domain="localhost")
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message

"""Mails and the ways to send them."""

import asyncio
import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    """The mail server did not take it, or it makes no message."""


@dataclass(frozen=True)
class Mail:
    to: str
    subject: str
    text: str
    html: str


class Mailer(Protocol):
    """Hand a mail over, or raise `MailNotSent`."""

    async def send(self, mail: Mail) -> None: ...


@contextmanager
def _or_not_sent(failure: str) -> Iterator[None]:
    try:
        yield
    except Exception as fault:  # the parser of headers raises IndexError and others for text that it cannot read
        log.warning("%s: %s", failure, type(fault).__name__)
        raise MailNotSent from fault


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
        with _or_not_sent("a mail could not be sent"):
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


@dataclass(frozen=True)
class OutboxMailer:
    """Keeps mails as files; for one machine without a mail server."""

    folder: Path
    sender: str

    async def send(self, mail: Mail) -> None:
        with _or_not_sent("a mail could not be kept"):
            await asyncio.to_thread(self._write, as_message(mail, self.sender).as_bytes())

    def _write(self, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{time.time_ns()}-{secrets.token_hex(4)}.eml"
        path.touch(mode=0o600)
        path.write_bytes(content)


WHOLE_LINES = default.clone(max_line_length=200)
"""A link stays in one piece where a mail is read as it is, in the outbox."""


def as_message(mail: Mail, sender: str) -> EmailMessage:
    """Raises ValueError, or what the parser of headers raises, for an address that is not read as just that one."""
    message = EmailMessage(WHOLE_LINES)
    message["From"], message["To"], message["Subject"] = sender, mail.to, _without_encoded_words(mail.subject)
    if [address.addr_spec for address in message["To"].addresses] != [mail.to]:
        raise ValueError("this address is read as another one")
    message["Date"], message["Message-ID"] = formatdate(usegmt=True), make_msgid(domain="localhost")
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message


def _without_encoded_words(text: str) -> str:
    """Setting a header decodes them (RFC 2047), with line breaks that are headers and a body of their writer's own."""
    return text.replace("=?", "= ?")

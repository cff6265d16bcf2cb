"""Mails by SMTP and in the outbox folder."""

import email
import socket
import stat
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from app.auth.embedded import Mail, MailNotSent, OutboxMailer, SmtpMailer
from app.auth.embedded.letters import with_code, with_link
from app.auth.embedded.mail import as_message

MAIL = with_link("signup", "ann@example.com", "https://kb.example.com/verify?token=a&type=signup", "012345")


class Postbox:
    """Takes every mail."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.mails.append(envelope.content)
        return "250 OK"


@pytest.fixture
async def postbox() -> AsyncIterator[tuple[Postbox, int]]:
    box = Postbox()
    controller = Controller(box, hostname="127.0.0.1", port=0)
    controller.port = _free_port()
    controller.start()
    yield box, controller.port
    controller.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def parts(content: bytes) -> dict[str, str]:
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return {part.get_content_type(): part.get_content() for part in message.walk() if not part.is_multipart()}


async def test_by_smtp(postbox: tuple[Postbox, int]) -> None:
    """A mail arrives with a text and an HTML part, the link whole in both."""
    box, port = postbox
    await SmtpMailer("127.0.0.1", port, "KB <no-reply@example.com>", start_tls=False).send(MAIL)
    told = parts(box.mails[0])
    assert "https://kb.example.com/verify?token=a&type=signup" in told["text/plain"]
    assert "https://kb.example.com/verify?token=a&amp;type=signup" in told["text/html"]


async def test_server_down() -> None:
    """A server that does not answer is one refusal, whatever the reason."""
    with pytest.raises(MailNotSent):
        await SmtpMailer("127.0.0.1", _free_port(), "no-reply@example.com").send(MAIL)


ADDRESSES = [
    ("smtp://mail.example.com", ("mail.example.com", 25, None, None, False)),
    ("smtp://ann:p%40ss@mail.example.com:587", ("mail.example.com", 587, "ann", "p@ss", False)),
    ("smtps://mail.example.com", ("mail.example.com", 465, None, None, True)),
]


@pytest.mark.parametrize(("url", "expected"), ADDRESSES)
def test_addresses_of_servers(url: str, expected: tuple[object, ...]) -> None:
    """A mail server is named by one address."""
    mailer = SmtpMailer.at(url, "no-reply@example.com")
    assert (mailer.host, mailer.port, mailer.username, mailer.password, mailer.use_tls) == expected


@pytest.mark.parametrize("url", ["", "http://mail.example.com", "smtp://", "mail.example.com:25"])
def test_addresses_of_no_server(url: str) -> None:
    """What names no mail server is refused with a sentence, and without the password."""
    with pytest.raises(ValueError, match="looks like"):
        SmtpMailer.at(url, "no-reply@example.com")


async def test_outbox(tmp_path: Path) -> None:
    """Without a server each mail is a file that only its owner can read."""
    mailer = OutboxMailer(tmp_path / "outbox", "no-reply@example.com")
    await mailer.send(MAIL)
    await mailer.send(MAIL)
    files = sorted((tmp_path / "outbox").iterdir())
    assert [file.suffix for file in files] == [".eml", ".eml"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert "012345" in parts(files[0].read_bytes())["text/plain"]


def test_addresses_cannot_smuggle_headers() -> None:
    """A line break in an address makes no header."""
    with pytest.raises(ValueError, match="linefeed"):
        as_message(Mail("ann@example.com\r\nBcc: evil@example.com", "x", "x", "x"), "no-reply@example.com")


def test_code_mail_has_no_link() -> None:
    """The mail that only carries a code has no address to follow."""
    mail = with_code("ann@example.com", "123456")
    assert "123456" in mail.text
    assert "http" not in mail.text + mail.html

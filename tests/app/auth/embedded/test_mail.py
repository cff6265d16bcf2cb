"""Mails by SMTP and in the outbox folder."""

import email
import socket
import stat
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from app.auth.embedded import Mail, Mailer, MailNotSent, OutboxMailer, SmtpMailer
from app.auth.embedded.letters import with_code, with_link
from app.invitations.mail import letter

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


@dataclass(frozen=True)
class Way:
    """A mailer, and what has arrived by it."""

    mailer: Mailer
    arrived: Callable[[], list[bytes]]


@pytest.fixture(params=["smtp", "outbox"])
def way(request: pytest.FixtureRequest, postbox: tuple[Postbox, int], tmp_path: Path) -> Way:
    if request.param == "outbox":
        mailer = OutboxMailer(tmp_path, "no-reply@example.com")
        return Way(mailer, lambda: [path.read_bytes() for path in tmp_path.iterdir()])
    box, port = postbox
    return Way(SmtpMailer("127.0.0.1", port, "no-reply@example.com", start_tls=False), lambda: box.mails)


def parsed(content: bytes) -> EmailMessage:
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def parts(content: bytes) -> dict[str, str]:
    message = parsed(content)
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


HEADERS = ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"]
ENCODED_WORDS = [
    "=?utf-8?q?Acme=0d=0aReply-To=3a_evil=40example.org?=",
    "=?utf-8?b?QWNtZQ0KQmNjOiBldmlsQGV4YW1wbGUub3Jn?=",
    "=?utf-8?q?Acme=0d=0aContent-Type=3a_text/html=0d=0a=0d=0a=3Ch1=3EPay_here=3C/h1=3E?=",
    "Ünï =?utf-8?q?=00?= ==?utf-8?q??=",
]


@pytest.mark.parametrize("name", ENCODED_WORDS)
async def test_names_cannot_smuggle_headers(way: Way, name: str) -> None:
    """An organization's name is text in the subject, not an encoded word: it makes neither a header nor a body."""
    mail = letter("https://kb.example.com", "ann@example.com", name, "member", "secret", 7)
    await way.mailer.send(mail)
    [content] = way.arrived()
    message = parsed(content)
    assert message.keys() == HEADERS
    assert message["Subject"] == f"Invitation to {name.replace('=?', '= ?')}"
    assert message.get_content_type() == "multipart/alternative"
    told = {kind: text.replace("\r\n", "\n") for kind, text in parts(content).items()}
    assert told == {"text/plain": mail.text, "text/html": f"{mail.html}\n"}


@pytest.mark.parametrize(
    "address",
    [
        "=?utf-8?q?victim=40example.org=2c?=@example.com",
        "=?utf-8?q?=00?=@example.com",
        "=?utf-8?q??=@example.com",
        "ann@example.com, eve@example.com",
        "ann@example.com\r\nBcc: eve@example.com",
    ],
)
async def test_an_address_that_is_read_as_another(way: Way, address: str) -> None:
    """What a mail cannot be sent to as it is written is one refusal, whatever reading it raises; nothing is sent."""
    with pytest.raises(MailNotSent):
        await way.mailer.send(Mail(address, "x", "x", "x"))
    assert way.arrived() == []


def test_code_mail_has_no_link() -> None:
    """The mail that only carries a code has no address to follow."""
    mail = with_code("ann@example.com", "123456")
    assert "123456" in mail.text
    assert "http" not in mail.text + mail.html

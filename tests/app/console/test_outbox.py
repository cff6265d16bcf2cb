"""The outbox page: for the demo, on this machine, and for nobody else."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.auth.embedded import Mail, OutboxMailer
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import House, new_address, refused
from tests.app.accounts.journey import query_of

OUTBOX, NOT_FOUND = "/auth/outbox", (404, "NOT_FOUND")


@pytest.fixture
async def demo(build: Build) -> AsyncIterator[House]:
    async with build(demo=True) as house:
        yield house


async def look(house: House, host: str = "localhost:8000", peer: str = "127.0.0.1", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    transport = httpx.ASGITransport(house.app, client=(peer, 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.get(OUTBOX, headers={"Host": host, **named})


async def test_mails_and_their_links(demo: House) -> None:
    """It shows the mails that were kept, newest first, and their links can be followed."""
    for address in (first := new_address(), second := new_address()):
        await demo.sign_up(address)
    answer = await look(demo)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.text.index(second) < answer.text.index(first)
    token = query_of(demo.mailbox.link(second))["token_hash"]
    assert f'<a href="http://kb.test/auth/confirm?token_hash={token}&amp;type=signup">' in answer.text


async def test_what_mails_say_is_text(demo: House) -> None:
    """Nothing of a mail is taken for HTML."""
    evil = "<script>alert(1)</script>"
    mail = Mail("ann@example.com", evil, f'{evil} http://evil.example/"onclick="x {evil}', "")
    await OutboxMailer(demo.mailbox.folders[0], "no-reply@localhost").send(mail)
    text = (await look(demo)).text
    assert "<script>" not in text
    assert '"onclick' not in text


FOREIGN = (
    "kb.test", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[::]", "", "[", "x@y",
)  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
async def test_by_another_name(demo: House, host: str) -> None:
    """A page of a foreign name that leads here sees nothing."""
    assert refused(await look(demo, host)) == NOT_FOUND


@pytest.mark.parametrize(
    "header",
    [
        "Forwarded",
        "X_Forwarded_For",
        "X_Forwarded_Host",
        "X_Forwarded_Proto",
        "X_Forwarded_Anything",
        "Via",
        "X_Real_IP",
    ],
)
async def test_behind_a_proxy(demo: House, header: str) -> None:
    """What a proxy has passed on is from elsewhere, even when it says that it is not."""
    assert refused(await look(demo, **{header: "127.0.0.1"})) == NOT_FOUND


async def test_without_the_demo(embedded: House) -> None:
    """It is not there."""
    assert refused(await look(embedded)) == NOT_FOUND


async def test_with_a_mail_server(build: Build) -> None:
    """Nothing is kept, and nothing shown."""
    async with build(demo=True, smtp_url="smtp://127.0.0.1:1") as house:
        assert refused(await look(house)) == NOT_FOUND

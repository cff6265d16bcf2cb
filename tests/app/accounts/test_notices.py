"""Mails to who has an account already: as often, and as late, as an address without one is written to."""

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, update

from app.models import notices
from pipelines.knowledge import KnowledgeBase
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import House, new_address, refused
from tests.app.accounts.test_identity_down import LOGIN, error, supabase
from tests.databases import BOTH

DATABASES = BOTH
OBFUSCATED = {
    "id": "11111111-1111-4111-8111-111111111111", "aud": "", "app_metadata": {}, "user_metadata": {},
    "created_at": "2026-01-01T00:00:00Z", "identities": [],
}  # fmt: skip


def told(house: House, address: str) -> int:
    return sum("has an account already" in text for text in house.mailbox.texts(address))


def a_minute_later(connection: Connection) -> None:
    [(last,)] = connection.execute(notices.select().with_only_columns(notices.c.sent_at)).all()
    connection.execute(update(notices).values(sent_at=last - timedelta(minutes=1)))


async def test_a_notice_a_minute(build: Build) -> None:
    """26, 33: within the pause between two mails a known address gets no other, from no process; then it does."""
    address = new_address()
    async with build(identity_mail_interval=60) as house:
        await house.person(address)
        assert (await house.sign_up(address)).status_code == 201
    async with build(identity_mail_interval=60) as house:
        assert (await house.sign_up(address.upper())).status_code == 201
        assert told(house, address) == 1
        await house.database.write(a_minute_later)
        assert (await house.sign_up(address)).status_code == 201
        assert told(house, address) == 2


@pytest.mark.parametrize(
    "answer", [httpx.Response(200, json=OBFUSCATED), error(422, "user_already_exists")], ids=["hidden", "told"]
)
async def test_a_notice_a_minute_beside_supabase(
    tmp_path: Path, knowledge: KnowledgeBase, answer: httpx.Response
) -> None:
    """26: an account at Supabase is not written to again either, however Supabase says that there is one."""
    async with supabase(tmp_path, knowledge, lambda _: answer, identity_mail_interval=60) as client:
        for _ in range(2):
            given = await client.post("/api/auth/signup", json=LOGIN | {"organizationName": "Birders"})
            assert given.status_code == 201
    assert len(list((tmp_path / "outbox").iterdir())) == 1


async def test_a_notice_that_was_not_sent(build: Build) -> None:
    """26: it holds nothing back: while the mail server is down each sign-up is 503, as that of an unknown address."""
    address = new_address()
    async with build() as house:
        await house.person(address)
    async with build(smtp_url="smtp://127.0.0.1:1", identity_mail_interval=60) as house:
        for _ in range(2):
            assert refused(await house.sign_up(address)) == (503, "IDENTITY_UNAVAILABLE")

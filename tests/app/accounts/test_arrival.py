"""What belongs to somebody is made when they first come, once, on both databases."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from app.accounts.providers import Offers
from app.auth import provisioning
from app.auth.jwks import IdentityUnavailable
from app.models import audit, memberships, organizations, users
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, House, good, new_address, refused
from tests.databases import BOTH

DATABASES = BOTH


async def counted(house: House) -> list[int]:
    tables = (users, organizations, memberships)
    counts = [select(func.count()).select_from(table) for table in tables]
    return await house.database.read(lambda db: [int(db.execute(count).scalar_one()) for count in counts])


async def test_many_first_requests_at_once(embedded: House, database_url: str | None) -> None:
    """53: ten first requests of one person at once make one organization, of which they are the one owner."""
    address = new_address()
    await embedded.sign_up(address)
    good(await embedded.identity("POST", "/verify", embedded.mailbox.token(address)))
    body = {"email": address, "password": PASSWORD}
    session = good(await embedded.identity("POST", "/token?grant_type=password", body))
    logins = [embedded.log_in(address) for _ in range(5)]
    requests = [embedded.me(session["access_token"]) for _ in range(5)]
    answers = await asyncio.gather(*logins, *requests)
    assert [answer.status_code for answer in answers] == [200] * 10
    assert await counted(embedded) == [1, 1, 1]


async def test_a_failure_at_the_first_arrival(
    embedded: House, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """52: what could not be made is made at the next login, once; nothing is left half done."""
    address = new_address()
    await embedded.sign_up(address, name="Lake watchers")

    def fail(*_: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("disk full"))

    with monkeypatch.context() as broken:
        broken.setattr(provisioning.organizations, "add", fail)
        assert (await embedded.follow(address)).status_code == 503
        assert await counted(embedded) == [0, 0, 0]
    session = good(await embedded.log_in(address))
    good(await embedded.log_in(address))
    assert good(await embedded.me(session["access_token"]))["organization"]["name"] == "Lake watchers"
    assert await counted(embedded) == [1, 1, 1]


async def test_signing_up_makes_nothing_yet(embedded: House, database_url: str | None) -> None:
    """54: until the address is verified there is neither a user nor an organization; a repeated sign-up makes one."""
    address = new_address()
    for _ in range(2):
        await embedded.sign_up(address)
    assert await counted(embedded) == [0, 0, 0]
    good(await embedded.follow(address))
    assert await counted(embedded) == [1, 1, 1]


async def test_what_is_recorded(embedded: House, database_url: str | None) -> None:
    """The audit says who did what, and holds no secret."""
    address = new_address()
    session = await embedded.person(address)
    user_id = session["user"]["id"]
    refused(await embedded.log_in(address, OTHER_PASSWORD))
    good(await embedded.log_in(address))
    await embedded.post("/password/update", {"password": OTHER_PASSWORD}, session["access_token"])
    await embedded.post("/logout", token=session["access_token"])
    rows = await embedded.database.read(lambda db: db.execute(select(audit).order_by(audit.c.id)).all())
    assert [(row.action, row.actor, row.details) for row in rows] == [
        ("signed_up", f"user:{user_id}", {"email": address, "known": False}),
        ("logged_in", f"user:{user_id}", {"method": "link:signup"}),
        ("login_failed", "nobody", {"email": address, "code": "INVALID_CREDENTIALS"}),
        ("logged_in", f"user:{user_id}", {"method": "password"}),
        ("password_changed", f"user:{user_id}", {}),
        ("logged_out", f"user:{user_id}", {"scope": "local"}),
    ]
    text = str(rows)
    for secret in (PASSWORD, OTHER_PASSWORD, session["access_token"], session["refresh_token"]):
        assert secret not in text


async def test_where_signing_up_is_closed(build: Build, database_url: str | None) -> None:
    """Whom an operator has made at the identity server logs in to nothing, by either door."""
    async with build(identity_signup="off") as house:
        for path in ("/api/auth/login", "/auth/v1/token?grant_type=password"):
            person = {"email": new_address(), "password": PASSWORD}
            good(await house.admin("POST", "/users", person | {"email_confirm": True}))
            session = good(await house.http.post(path, json=person))
            me = good(await house.me(session["access_token"]))
            assert (me["user"]["email"], me["organization"]) == (person["email"], None)
        assert await counted(house) == [2, 0, 0]


async def unavailable(*_: Any) -> None:
    raise IdentityUnavailable


async def test_a_newcomer_while_the_settings_cannot_be_asked(
    embedded: House, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What belongs to them is made, by a link or by a token alone: nobody has said that signing up is closed."""
    address = new_address()
    await embedded.sign_up(address, name="Lake watchers")
    monkeypatch.setattr(Offers, "now", unavailable)
    session = good(await embedded.follow(address))
    assert session["user"]["organization_id"]
    path = "/auth/v1/token?grant_type=password"
    person = {"email": new_address(), "password": PASSWORD}
    good(await embedded.admin("POST", "/users", person | {"email_confirm": True}))
    token = good(await embedded.http.post(path, json=person))["access_token"]
    assert good(await embedded.me(token))["organization"]
    assert await counted(embedded) == [2, 2, 2]


async def test_who_is_known_needs_no_settings(
    embedded: House, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The identity server is asked about newcomers alone."""
    address, asked = new_address(), []
    session = await embedded.person(address)

    async def ask(*_: Any) -> None:
        asked.append(address)
        raise IdentityUnavailable

    monkeypatch.setattr(Offers, "now", ask)
    assert good(await embedded.log_in(address))["user"] == session["user"]
    good(await embedded.refresh(session["refresh_token"]))
    assert asked == []


async def test_somebody_who_belongs_to_nothing(embedded: House, database_url: str | None) -> None:
    """Who was removed from their one organization logs in to none, and gets no new one."""
    address = new_address()
    session = await embedded.person(address)
    await embedded.database.write(lambda db: db.execute(memberships.delete()).rowcount)
    again = good(await embedded.log_in(address))
    assert again["user"]["organization_id"] is None
    me = good(await embedded.me(again["access_token"]))
    assert (me["user"]["id"], me["organization"], me["role"]) == (session["user"]["id"], None, None)
    named = await embedded.me(again["access_token"], **{"X-Organization-Id": session["user"]["organization_id"]})
    assert refused(named) == (403, "FORBIDDEN")
    assert await counted(embedded) == [1, 1, 0]

"""/auth/v1 is no side door: what limits and ends things at /api does so there, and the other way round."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.api_keys.service import create_key
from app.audit import OPERATOR
from app.members import repository as members
from app.models import audit
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, House, bearer, good, new_address, refused


async def test_logins_are_counted_together(build: Build) -> None:
    """33: five logins a minute for an address, whichever door they take and however the address is spelt."""
    async with build(limits="on") as house:
        address = new_address()
        body = {"email": address, "password": OTHER_PASSWORD}
        for _ in range(3):
            assert (await house.log_in(address)).status_code == 401
        for _ in range(2):
            assert (await house.identity("POST", "/token?grant_type=password", body)).status_code == 400
        direct = await house.identity("POST", "/token?grant_type=password", {**body, "email": address.upper()})
        assert (direct.status_code, direct.json()["code"]) == (429, "over_request_rate_limit")
        assert int(direct.headers["retry-after"]) >= 1
        answer = await house.log_in(address)
        assert refused(answer) == (429, "RATE_LIMITED")
        assert answer.json()["retry_after"] == int(answer.headers["retry-after"])
        assert (await house.post("/magic-link", {"email": address})).status_code == 200, "mails are counted apart"


async def test_mails_are_counted_together(build: Build) -> None:
    """Five mails a minute for an address, whichever door they are asked for at."""
    async with build(limits="on") as house:
        address = new_address()
        for path in ("/magic-link", "/password/reset", "/resend-verification"):
            assert (await house.post(path, {"email": address})).status_code == 200
        assert (await house.sign_up(address)).status_code == 201
        good(await house.identity("POST", "/recover", {"email": address}))
        for path in ("/recover", "/resend", "/signup"):
            body = {"email": address, "password": PASSWORD, "type": "signup"}
            assert (await house.identity("POST", path, body)).status_code == 429
        assert refused(await house.sign_up(address)) == (429, "RATE_LIMITED")


async def test_a_client_is_counted_once(build: Build) -> None:
    """Forty requests at once for a client address, whichever door they take; forged headers change nothing."""
    async with build(limits="on") as house:
        for _ in range(20):
            good(await house.get("/api/auth/providers"))
            await house.identity("POST", "/token?grant_type=refresh_token", {"refresh_token": "x"})
        forged = {"X-Forwarded-For": "192.0.2.1", "Sb-Forwarded-For": "192.0.2.2", "Forwarded": "for=192.0.2.3"}
        answer = await house.http.get("/api/auth/providers", headers=forged)
        assert refused(answer) == (429, "RATE_LIMITED")
        assert not [name for name in answer.headers if name.startswith("x-ratelimit")]
        async with house.browser() as browser:
            direct = await browser.post("/auth/v1/verify", json={"type": "email", "token_hash": "x"}, headers=forged)
        assert direct.status_code == 429


async def test_behind_a_trusted_proxy(build: Build) -> None:
    """Clients are told apart at both doors."""
    async with build(limits="on", trusted_proxies="127.0.0.1") as house, house.browser() as browser:
        for number in range(50):
            headers = {"X-Forwarded-For": f"192.0.2.{number}"}
            direct = await browser.post("/auth/v1/verify", json={"type": "email", "token_hash": "x"}, headers=headers)
            assert direct.status_code == 403


async def test_what_ends_there_ends_here(embedded: House) -> None:
    """Logging out and changing the password at /auth/v1 count at /api at once."""
    address = new_address()
    one, other = await embedded.person(address), good(await embedded.log_in(address))
    changed = await embedded.identity("PUT", "/user", {"password": OTHER_PASSWORD}, one["access_token"])
    assert changed.status_code == 200
    assert refused(await embedded.me(other["access_token"])) == (401, "UNAUTHORIZED")
    good(await embedded.me(one["access_token"]))
    assert (await embedded.identity("POST", "/logout?scope=local", token=one["access_token"])).status_code == 204
    assert refused(await embedded.me(one["access_token"])) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("soft", [False, True])
async def test_who_is_deleted_there_is_no_member_here(embedded: House, *, soft: bool) -> None:
    """The seat is gone with the account, an owner's too: the address can be invited, and who is left stays."""
    owner, other = await embedded.person(), await embedded.person()
    organization, gone = UUID(owner["user"]["organization_id"]), UUID(other["user"]["id"])
    await embedded.database.write(members.add_member, organization, gone, "owner", datetime.now(UTC))
    url = f"/api/organizations/{organization}"
    guest = {"email": new_address(), "role": "member"}
    headers = bearer(other["access_token"]) | {"X-Organization-Id": str(organization)}
    assert (await embedded.http.post(f"{url}/members", json=guest, headers=headers)).status_code == 201

    good(await embedded.admin("DELETE", f"/users/{gone}", {"should_soft_delete": soft}))
    token = owner["access_token"]
    assert good(await embedded.get(url, token))["member_count"] == 1
    assert good(await embedded.get(f"{url}/invitations", token))["invitations"] == []
    leaving = await embedded.http.delete(f"{url}/members/{owner['user']['id']}", headers=bearer(token))
    assert refused(leaving) == (409, "LAST_OWNER")
    again = {"email": other["user"]["email"], "role": "owner"}
    assert (await embedded.http.post(f"{url}/members", json=again, headers=bearer(token))).status_code == 201
    assert await recorded_of(embedded, gone) == [
        ("deleting", None),
        ("member_removed", organization),
        ("member_removed", UUID(other["user"]["organization_id"])),
        ("deleted", None),
    ]


@pytest.mark.parametrize("soft", [False, True])
async def test_nobody_is_deleted_who_stays_a_member(
    embedded: House, monkeypatch: pytest.MonkeyPatch, *, soft: bool
) -> None:
    """While our database is away the account stays, and deleting can be repeated."""
    gone = (await embedded.person())["user"]["id"]
    with monkeypatch.context() as patch:
        patch.setattr(embedded.database, "write", be_away)
        refusal = await embedded.admin("DELETE", f"/users/{gone}", {"should_soft_delete": soft})
    assert (refusal.status_code, refusal.json()["code"]) == (500, "unexpected_failure")
    good(await embedded.admin("DELETE", f"/users/{gone}", {"should_soft_delete": soft}))
    assert list(await embedded.database.read(members.organizations_of, UUID(gone))) == []


async def be_away(*_: object) -> None:
    raise OperationalError(None, None, ConnectionRefusedError())


async def recorded_of(house: House, user_id: UUID) -> list[tuple[str, UUID | None]]:
    """What befell somebody by an operator, and in which organization."""
    theirs = select(audit).where(audit.c.user_id == user_id, audit.c.actor == OPERATOR).order_by(audit.c.id)
    rows = await house.database.read(lambda connection: connection.execute(theirs).all())
    return [(row.action, row.organization_id) for row in rows]


async def test_an_organization_whose_last_owner_is_deleted(embedded: House) -> None:
    """Deleting is not refused; an operator's key invites the next owner."""
    owner, heir = await embedded.person(), await embedded.person()
    organization = UUID(owner["user"]["organization_id"])
    good(await embedded.admin("DELETE", f"/users/{owner['user']['id']}"))
    _, secret = await create_key(embedded.database, organization, "operator")
    url, key = f"/api/organizations/{organization}", {"X-API-Key": secret}
    invitation = {"email": heir["user"]["email"], "role": "owner"}
    assert (await embedded.http.post(f"{url}/members", json=invitation, headers=key)).status_code == 201
    token = embedded.mailbox.link(invitation["email"]).partition("?token=")[2]
    accepting = bearer(heir["access_token"])
    good(await embedded.http.post("/api/invitations/accept", json={"token": token}, headers=accepting))
    members_now = good(await embedded.http.get(f"{url}/members", headers=key))["members"]
    assert [(one["email"], one["role"]) for one in members_now] == [(heir["user"]["email"], "owner")]


async def test_who_came_by_the_other_door(house: House) -> None:
    """Tokens that the identity server gave directly are good, and their person gets an organization."""
    address = new_address()
    await house.person(address)
    body = {"email": address, "password": PASSWORD}
    session = good(await house.identity("POST", "/token?grant_type=password", body))
    assert good(await house.me(session["access_token"]))["role"] == "owner"


async def test_only_the_service_key_is_an_administrators(house: House) -> None:
    """62: neither the anon key nor a person's token manages people."""
    session = await house.person()
    for token in (house.anon_key, session["access_token"]):
        answer = await house.identity("GET", "/admin/users", token=token)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_admin")


async def test_no_door_to_somebody_elses_server(house: House) -> None:
    """With Supabase outside, /auth/v1 is nothing of ours."""
    answer = await house.get("/auth/v1/health")
    if house.identity_url.startswith("http://kb.test"):
        good(answer)
    else:
        assert refused(answer) == (404, "NOT_FOUND")


async def test_what_is_done_there_is_recorded(embedded: House) -> None:
    """Logins and failed ones at /auth/v1 are in the audit, with no secret."""
    address = new_address()
    session = await embedded.person(address)
    for password in (PASSWORD, OTHER_PASSWORD):
        await embedded.identity("POST", "/token?grant_type=password", {"email": address, "password": password})
    rows = await embedded.database.read(lambda connection: connection.execute(select(audit)).all())
    at_the_door = [(row.action, row.actor) for row in rows if row.details.get("at") == "/auth/v1"]
    assert at_the_door == [("logged_in", f"user:{session['user']['id']}"), ("login_failed", "nobody")]
    assert PASSWORD not in str(rows)

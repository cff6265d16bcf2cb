"""/auth/v1 is no side door: what limits and ends things at /api does so there, and the other way round."""

from sqlalchemy import select

from app.models import audit
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, House, good, new_address, refused


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

"""Sessions: how they go on, and how they end."""

import asyncio

import pytest

from app.auth.client import VERIFIER
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, House, bearer, good, new_address, refused

UNAUTHORIZED = (401, "UNAUTHORIZED")
REFUSED_TOKEN = (401, "INVALID_REFRESH_TOKEN")


async def test_the_last_refresh_token_but_one(house: House) -> None:
    """18: who did not get the answer of a refresh gets the same new token again."""
    first = (await house.person())["refresh_token"]
    second = good(await house.refresh(first))["refresh_token"]
    assert good(await house.refresh(first))["refresh_token"] == second
    good(await house.refresh(second))


async def test_a_stolen_refresh_token(build: Build) -> None:
    """19: an older token ends the session, for the newest token, too, and for the access token."""
    async with build(identity_reuse_interval=0) as house:
        session = await house.person()
        second = good(await house.refresh(session["refresh_token"]))["refresh_token"]
        third = good(await house.refresh(second))
        assert refused(await house.refresh(session["refresh_token"])) == REFUSED_TOKEN
        assert refused(await house.refresh(third["refresh_token"])) == REFUSED_TOKEN
        assert refused(await house.me(third["access_token"])) == UNAUTHORIZED


async def test_refreshing_at_once(house: House) -> None:
    """20: twenty refreshes with one token give one and the same successor."""
    token = (await house.person())["refresh_token"]
    answers = await asyncio.gather(*(house.refresh(token) for _ in range(20)))
    assert len({good(answer)["refresh_token"] for answer in answers}) == 1


async def test_what_is_no_refresh_token(house: House) -> None:
    """21: malformed, shortened and changed tokens are refused alike, and cost nothing."""
    token = (await house.person())["refresh_token"]
    other = (await house.person())["refresh_token"]
    for wrong in ("x", "é", "a" * 4096, token[1:], token[:-4], f"{token}A", other[:20] + token[20:], token.swapcase()):
        assert refused(await house.refresh(wrong)) == REFUSED_TOKEN
    good(await house.refresh(token))


async def test_a_refresh_token_is_needed(embedded: House) -> None:
    """Without one, and with one of another type, it is the body that is wrong."""
    for body in (
        {},
        {"refresh_token": None},
        {"refresh_token": 5},
        {"refresh_token": ""},
        {"refresh_token": "a" * 4097},
    ):
        assert refused(await embedded.post("/refresh", body)) == (400, "INVALID_REQUEST")


async def test_log_out(house: House) -> None:
    """22: the session ends at once, here and at the identity server; the person's other device goes on."""
    address = new_address()
    one, other = await house.person(address), good(await house.log_in(address))
    answer = await house.post("/logout", token=one["access_token"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert refused(await house.me(one["access_token"])) == UNAUTHORIZED
    assert refused(await house.refresh(one["refresh_token"])) == REFUSED_TOKEN
    assert (await house.identity("GET", "/user", token=one["access_token"])).status_code == 403
    assert refused(await house.post("/logout", token=one["access_token"])) == UNAUTHORIZED
    good(await house.me(other["access_token"]))
    good(await house.refresh(other["refresh_token"]))


async def test_log_out_everywhere(house: House) -> None:
    """22: all sessions end at once, and the next login is good at once."""
    address = new_address()
    one, other = await house.person(address), good(await house.log_in(address))
    assert (await house.post("/logout?scope=global", token=one["access_token"])).status_code == 204
    for session in (one, other):
        assert refused(await house.me(session["access_token"])) == UNAUTHORIZED
        assert refused(await house.refresh(session["refresh_token"])) == REFUSED_TOKEN
    good(await house.me(good(await house.log_in(address))["access_token"]))


async def test_log_out_elsewhere(house: House) -> None:
    """22: the other sessions end at once, this one stays."""
    address = new_address()
    one, other = await house.person(address), good(await house.log_in(address))
    assert (await house.post("/logout?scope=others", token=one["access_token"])).status_code == 204
    assert refused(await house.me(other["access_token"])) == UNAUTHORIZED
    assert refused(await house.refresh(other["refresh_token"])) == REFUSED_TOKEN
    good(await house.me(one["access_token"]))
    good(await house.refresh(one["refresh_token"]))


async def test_an_unknown_scope(house: House) -> None:
    """It is 400, and nothing ends."""
    session = await house.person()
    answer = await house.post("/logout?scope=everything", token=session["access_token"])
    assert refused(answer) == (400, "INVALID_REQUEST")
    good(await house.me(session["access_token"]))


@pytest.mark.parametrize("path", ["/logout", "/password/update"])
async def test_only_for_persons(house: House, path: str) -> None:
    """Without credentials it is 401 before the body is looked at; what is no token neither."""
    assert refused(await house.post(path, {"password": "x"})) == UNAUTHORIZED
    assert refused(await house.post(path, {"password": "x"}, "nonsense")) == UNAUTHORIZED
    good_answer = await house.http.post("/api/auth/password/update", json={}, headers={"X-API-Key": "kb_x"})
    assert refused(good_answer) == UNAUTHORIZED


async def test_a_changed_password(house: House) -> None:
    """23: the person's other sessions end at once, this one stays; the old password is gone."""
    address = new_address()
    one, other = await house.person(address), good(await house.log_in(address))
    body = {"password": OTHER_PASSWORD}
    answer = await house.post("/password/update", body, one["access_token"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert refused(await house.me(other["access_token"])) == UNAUTHORIZED
    assert refused(await house.refresh(other["refresh_token"])) == REFUSED_TOKEN
    good(await house.me(one["access_token"]))
    good(await house.refresh(one["refresh_token"]))
    assert refused(await house.log_in(address)) == (401, "INVALID_CREDENTIALS")
    good(await house.log_in(address, OTHER_PASSWORD))


@pytest.mark.parametrize("password", ["", "12345", "a" * 73, "      ", "correct horse"])
async def test_a_weak_new_password(house: House, password: str) -> None:
    """31: what cannot be used, the present one included, changes nothing."""
    session = await house.person()
    answer = await house.post("/password/update", {"password": password}, session["access_token"])
    assert refused(answer) == (400, "WEAK_PASSWORD")
    assert answer.json()["details"]


async def test_somebody_who_is_banned_or_deleted(embedded: House) -> None:
    """24: their tokens stop at once, and refreshing is refused."""
    for method, body in (("PUT", {"ban_duration": "1h"}), ("DELETE", None), ("DELETE", {"should_soft_delete": True})):
        session = await embedded.person()
        good(await embedded.admin(method, f"/users/{session['user']['id']}", body))
        assert refused(await embedded.me(session["access_token"])) == UNAUTHORIZED
        assert refused(await embedded.refresh(session["refresh_token"])) == REFUSED_TOKEN


async def test_many_at_once(house: House) -> None:
    """61: each of many logins is answered with its own person, and nothing is left running."""
    addresses = [new_address() for _ in range(8)]
    people = {address: (await house.person(address))["user"]["id"] for address in addresses}
    before = len(asyncio.all_tasks())
    answers = await asyncio.gather(*(house.log_in(address) for address in addresses * 3))
    assert [good(answer)["user"]["id"] for answer in answers] == [people[address] for address in addresses * 3]
    sessions = [good(answer) for answer in answers]
    seen = await asyncio.gather(*(house.me(session["access_token"]) for session in sessions))
    assert [good(answer)["user"]["id"] for answer in seen] == [session["user"]["id"] for session in sessions]
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) <= before


async def test_no_secret_of_ours_is_told(house: House) -> None:
    """62: neither the service key nor a provider's token or a verifier is in an answer or in the description."""
    session = await house.person()
    told = [
        await house.get("/openapi.json"), await house.get("/api/auth/providers"), await house.log_in("a@example.com"),
        await house.me(session["access_token"]), await house.refresh(session["refresh_token"]),
    ]  # fmt: skip
    for answer in told:
        for secret in (house.service_key, "provider_token", VERIFIER):
            assert secret not in answer.text


async def test_me_with_an_organization(house: House) -> None:
    """A header names the organization; one that is none, or another's, is 403."""
    session, other = await house.person(), await house.person()
    organization = session["user"]["organization_id"]
    named = await house.me(session["access_token"], **{"X-Organization-Id": organization})
    assert good(named)["organization"]["id"] == organization
    for wrong in (other["user"]["organization_id"], "nonsense", ""):
        answer = await house.me(session["access_token"], **{"X-Organization-Id": wrong})
        assert refused(answer) == (403, "FORBIDDEN")
    assert refused(await house.http.get("/api/auth/me")) == UNAUTHORIZED
    assert refused(await house.http.get("/api/auth/me", headers=bearer(house.anon_key))) == UNAUTHORIZED
    assert refused(await house.http.get("/api/auth/me", headers=bearer(house.service_key))) == UNAUTHORIZED

"""Logins, refresh tokens and the end of sessions."""

import asyncio
import uuid

import jwt
import pytest

from app.auth.embedded import refresh_tokens

from .house import OTHER_PASSWORD, PASSWORD, URL, House, good, new_address, refused


def claims(session: dict[str, str]) -> dict[str, object]:
    decoded: dict[str, object] = jwt.decode(session["access_token"], options={"verify_signature": False})
    return decoded


async def test_login_gives_a_session(house: House) -> None:
    """The right password gives tokens whose claims name person, session and issuer."""
    address = new_address()
    await house.member(address)
    session = good(await house.log_in(address))
    told = claims(session)
    assert (told["iss"], told["aud"], told["role"], told["aal"]) == (URL, "authenticated", "authenticated", "aal1")
    assert told["sub"] == session["user"]["id"]
    assert (session["token_type"], session["expires_in"], session["weak_password"]) == ("bearer", 3600, None)


@pytest.mark.parametrize("password", ["wrong", "", "x" * 100])
async def test_login_tells_nothing(house: House, password: str) -> None:
    """A wrong password and an unknown address are refused alike."""
    address = new_address()
    await house.member(address)
    known, unknown = await house.log_in(address, password), await house.log_in(new_address(), password)
    assert refused(known) == (400, "invalid_credentials")
    assert (known.content, known.status_code) == (unknown.content, unknown.status_code)


async def test_ban_is_told_to_the_right_password_only(house: House) -> None:
    """A wrong password does not learn that the account is banned."""
    address = new_address()
    session = await house.member(address)
    good(await house.admin("PUT", f"/admin/users/{session['user']['id']}", {"ban_duration": "24h"}))
    assert refused(await house.log_in(address, "wrong")) == (400, "invalid_credentials")
    assert refused(await house.log_in(address)) == (400, "user_banned")


async def test_ban_stops_everything_and_can_be_lifted(house: House) -> None:
    """A ban refuses refresh and user at once; lifted, the old session works again."""
    session = await house.member()
    path = f"/admin/users/{session['user']['id']}"
    good(await house.admin("PUT", path, {"ban_duration": "1h30m"}))
    assert refused(await house.refresh(session["refresh_token"])) == (400, "user_banned")
    assert refused(await house.user(session)) == (403, "user_banned")
    good(await house.admin("PUT", path, {"ban_duration": "none"}))
    good(await house.user(session))


async def test_ban_runs_out(house: House) -> None:
    """After its time a ban is over."""
    session = await house.member()
    good(await house.admin("PUT", f"/admin/users/{session['user']['id']}", {"ban_duration": "30m"}))
    house.clock.advance(1801)
    good(await house.refresh(session["refresh_token"]))


async def test_refresh_rotates(house: House) -> None:
    """A refresh gives another refresh token of the same session; the old access token stays good."""
    session = await house.member()
    fresh = good(await house.refresh(session["refresh_token"]))
    assert fresh["refresh_token"] != session["refresh_token"]
    assert claims(fresh)["session_id"] == claims(session)["session_id"]
    assert "weak_password" not in fresh
    good(await house.user(session))


async def test_predecessor_gets_the_current_token(house: House) -> None:
    """The token before the current one is answered with the current one, however late."""
    session = await house.member()
    current = good(await house.refresh(session["refresh_token"]))["refresh_token"]
    house.clock.advance(3000)
    assert good(await house.refresh(session["refresh_token"]))["refresh_token"] == current
    assert good(await house.refresh(current))["refresh_token"] != current


async def test_reuse_within_the_interval(house: House) -> None:
    """An older token inside the reuse interval is answered with the current one."""
    session = await house.member()
    second = good(await house.refresh(session["refresh_token"]))
    third = good(await house.refresh(second["refresh_token"]))
    house.clock.advance(9)
    assert good(await house.refresh(session["refresh_token"]))["refresh_token"] == third["refresh_token"]


async def test_reuse_ends_the_session(house: House) -> None:
    """An older token outside the interval ends the session: newest refresh token and access token are dead."""
    session = await house.member()
    second = good(await house.refresh(session["refresh_token"]))
    third = good(await house.refresh(second["refresh_token"]))
    house.clock.advance(11)
    assert refused(await house.refresh(session["refresh_token"])) == (400, "refresh_token_already_used")
    assert refused(await house.refresh(third["refresh_token"])) == (400, "refresh_token_not_found")
    assert refused(await house.user(third)) == (403, "session_not_found")
    assert "token_reused" in [event.name for event in house.events]


async def test_parallel_refreshes_have_one_successor(house: House) -> None:
    """Twenty refreshes with one token at once are all answered with one and the same successor."""
    session = await house.member()
    answers = await asyncio.gather(*(house.refresh(session["refresh_token"]) for _ in range(20)))
    assert len({good(answer)["refresh_token"] for answer in answers}) == 1


@pytest.mark.parametrize("token", ["", "nonsense", "x" * 500, "AAAA", "ä"])
async def test_malformed_refresh_tokens(house: House, token: str) -> None:
    """What is no refresh token is refused as such."""
    assert refused(await house.refresh(token)) == (400, "validation_failed")


async def test_forged_refresh_tokens(house: House) -> None:
    """A token of this session's id under another key, or with a higher counter, is refused."""
    session = await house.member()
    session_id = uuid.UUID(str(claims(session)["session_id"]))
    forged = refresh_tokens.encode(b"0" * 32, session_id, 0)
    assert refused(await house.refresh(forged)) == (400, "validation_failed")
    assert refused(await house.refresh("abcdefghijkl")) == (400, "refresh_token_not_found")


async def test_log_out_here(house: House) -> None:
    """Scope local ends this session only, for good."""
    address = new_address()
    here = await house.member(address)
    there = good(await house.log_in(address))
    answer = await house.post("/logout?scope=local", bearer=here["access_token"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert refused(await house.refresh(here["refresh_token"])) == (400, "refresh_token_not_found")
    assert refused(await house.user(here)) == (403, "session_not_found")
    assert refused(await house.post("/logout?scope=local", bearer=here["access_token"])) == (403, "session_not_found")
    good(await house.refresh(there["refresh_token"]))


async def test_log_out_elsewhere(house: House) -> None:
    """Scope others ends every session but this one, as often as one likes."""
    address = new_address()
    here = await house.member(address)
    there = good(await house.log_in(address))
    for _ in range(2):
        assert (await house.post("/logout?scope=others", bearer=here["access_token"])).status_code == 204
    assert refused(await house.user(there)) == (403, "session_not_found")
    good(await house.user(here))


@pytest.mark.parametrize("path", ["/logout", "/logout?scope=global"])
async def test_log_out_everywhere(house: House, path: str) -> None:
    """Without a scope every session ends."""
    address = new_address()
    here = await house.member(address)
    there = good(await house.log_in(address))
    assert (await house.post(path, bearer=here["access_token"])).status_code == 204
    assert refused(await house.user(there)) == (403, "session_not_found")


async def test_unknown_scope(house: House) -> None:
    """An unknown scope ends nothing."""
    session = await house.member()
    answer = await house.post("/logout?scope=nonsense", bearer=session["access_token"])
    assert refused(answer) == (400, "validation_failed")
    good(await house.user(session))


async def test_is_live_follows_at_once(house: House) -> None:
    """The house around it learns in the process whether a session still counts."""
    session = await house.member()
    user, sid = uuid.UUID(session["user"]["id"]), uuid.UUID(str(claims(session)["session_id"]))
    assert await house.identity.is_live(user, sid)
    assert not await house.identity.is_live(uuid.uuid4(), sid)
    good(await house.admin("PUT", f"/admin/users/{user}", {"ban_duration": "1h"}))
    assert not await house.identity.is_live(user, sid)
    good(await house.admin("PUT", f"/admin/users/{user}", {"ban_duration": "none", "password": OTHER_PASSWORD}))
    assert not await house.identity.is_live(user, sid)


async def test_many_logins_at_once_keep_apart(house: House) -> None:
    """Of many people who log in at once, each gets their own session."""
    addresses = [new_address() for _ in range(12)]
    for address in addresses:
        body = {"email": address, "password": PASSWORD, "email_confirm": True}
        good(await house.admin("POST", "/admin/users", body))
    answers = await asyncio.gather(*(house.log_in(address) for address in addresses for _ in range(4)))
    expected = [address for address in addresses for _ in range(4)]
    assert [good(answer)["user"]["email"] for answer in answers] == expected

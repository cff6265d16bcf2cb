"""What people read and change about themselves."""

import pytest

from .house import OTHER_PASSWORD, PASSWORD, House, Json, good, new_address, refused


async def put(house: House, session: Json, body: Json) -> Json:
    return good(await house.call("PUT", "/user", body, bearer=session["access_token"]))


async def put_refused(house: House, session: Json, body: Json) -> tuple[int, str]:
    return refused(await house.call("PUT", "/user", body, bearer=session["access_token"]))


async def test_metadata_merges(house: House) -> None:
    """Members of the metadata are replaced one by one; null removes one; the next token carries them."""
    session = await house.member()
    await put(house, session, {"data": {"a": 1, "b": {"c": 2}}})
    user = await put(house, session, {"data": {"a": None, "b": {"d": 3}}})
    assert user["user_metadata"]["b"] == {"d": 3}
    assert "a" not in user["user_metadata"]
    fresh = good(await house.refresh(session["refresh_token"]))
    assert fresh["user"]["user_metadata"]["b"] == {"d": 3}


async def test_password_change_ends_the_others(house: House) -> None:
    """A changed password ends the other sessions at once, not the one that changed it."""
    address = new_address()
    here = await house.member(address)
    there = good(await house.log_in(address))
    await put(house, here, {"password": OTHER_PASSWORD})
    assert refused(await house.user(there)) == (403, "session_not_found")
    assert refused(await house.refresh(there["refresh_token"])) == (400, "refresh_token_not_found")
    good(await house.refresh(here["refresh_token"]))
    assert refused(await house.log_in(address, PASSWORD)) == (400, "invalid_credentials")
    good(await house.log_in(address, OTHER_PASSWORD))


BAD = [
    ({"password": PASSWORD}, 422, "same_password"),
    ({"password": "short"}, 422, "weak_password"),
    ({"password": ""}, 422, "weak_password"),
    ({"password": "x" * 73}, 400, "validation_failed"),
    ({"password": 5}, 400, "bad_json"),
    ({"email": "nobody"}, 400, "validation_failed"),
    ({"email": "=?utf-8?q??=@example.com"}, 400, "validation_failed"),
    ({"data": "text"}, 400, "bad_json"),
    ({"data": {"a": "x" * 5000}}, 400, "validation_failed"),
    ({"phone": "12345678"}, 400, "phone_provider_disabled"),
    ({"app_metadata": {"role": "admin"}}, 403, "not_admin"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
async def test_refuses_bad_changes(house: House, body: Json, status: int, code: str) -> None:
    """A bad change is refused with its code and changes nothing."""
    session = await house.member()
    before = good(await house.user(session))
    assert await put_refused(house, session, body) == (status, code)
    assert good(await house.user(session)) == before


async def test_email_change_needs_both(house: House) -> None:
    """A new address counts once the old and the new one have confirmed it."""
    old, new = new_address(), new_address()
    session = await house.member(old)
    assert (await put(house, session, {"email": new}))["new_email"] == new
    half = good(await house.verify("email_change", house.mailbox.token(new)))
    assert half["code"] == "200"
    good(await house.log_in(old))
    moved = good(await house.verify("email_change", house.mailbox.token(old)))
    assert moved["user"]["email"] == new
    assert "new_email" not in moved["user"]
    assert refused(await house.log_in(old)) == (400, "invalid_credentials")
    good(await house.log_in(new))


async def test_email_change_by_codes(house: House) -> None:
    """The codes of both mails do what their links do."""
    old, new = new_address(), new_address()
    session = await house.member(old)
    await put(house, session, {"email": new})
    for address in (new, old):
        body = {"type": "email_change", "email": address, "token": house.mailbox.code(address)}
        answer = good(await house.post("/verify", body))
    assert answer["user"]["email"] == new


async def test_email_change_twice_by_one_side(house: House) -> None:
    """The same side's link does not count twice."""
    old, new = new_address(), new_address()
    session = await house.member(old)
    await put(house, session, {"email": new})
    token = house.mailbox.token(new)
    good(await house.verify("email_change", token))
    assert refused(await house.verify("email_change", token)) == (403, "otp_expired")
    good(await house.log_in(old))


async def test_email_change_to_a_taken_address(house: House) -> None:
    """An address that has an account cannot be taken, neither at once nor while the links are under way."""
    taken, later = new_address(), new_address()
    await house.member(taken)
    old = new_address()
    session = await house.member(old)
    assert await put_refused(house, session, {"email": taken}) == (422, "email_exists")
    await put(house, session, {"email": later})
    tokens = [house.mailbox.token(later), house.mailbox.token(old)]
    await house.member(later)
    good(await house.verify("email_change", tokens[0]))
    assert refused(await house.verify("email_change", tokens[1])) == (422, "email_exists")


async def test_reauthenticate_sends_a_code(house: House) -> None:
    """Reauthentication mails a code without a link."""
    address = new_address()
    session = await house.member(address)
    good(await house.call("GET", "/reauthenticate", bearer=session["access_token"]))
    assert "http" not in house.mailbox.mails[-1].text
    assert house.mailbox.mails[-1].to == address


async def test_deleted_person(house: House) -> None:
    """Whoever has been deleted is not found behind a token that is still valid."""
    session = await house.member()
    good(await house.admin("DELETE", f"/admin/users/{session['user']['id']}"))
    assert refused(await house.user(session)) == (403, "user_not_found")
    assert refused(await house.refresh(session["refresh_token"])) == (400, "refresh_token_not_found")

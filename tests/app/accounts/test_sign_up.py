"""Signing up, and what it does not tell."""

import uuid
from typing import Any

import httpx
import pytest

from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, House, good, new_address, refused

WHOLE = {"email": "ann@example.com", "password": PASSWORD, "organizationName": "Birders"}
MAILS = ("/magic-link", "/password/reset", "/resend-verification")
VOLATILE = {"x-request-id", "date"}


def seen(response: httpx.Response) -> tuple[int, Any, dict[str, str]]:
    """What a stranger sees, but for what is another with every request."""
    body = response.json()
    body.pop("request_id", None)
    if "user" in body:
        assert uuid.UUID(body["user"].pop("id")).version == 4
        body["user"].pop("email")
    return response.status_code, body, {k: v for k, v in response.headers.items() if k not in VOLATILE}


async def everybody(house: House) -> list[str]:
    """Addresses of which we know nothing, that somebody has not confirmed, of an account, and of one that is banned."""
    new, pending, confirmed, banned = (new_address() for _ in range(4))
    await house.sign_up(pending)
    await house.person(confirmed)
    session = await house.person(banned)
    good(await house.admin("PUT", f"/users/{session['user']['id']}", {"ban_duration": "24h"}))
    return [new, pending, confirmed, banned]


async def test_sign_up_tells_nothing(house: House) -> None:
    """26: signing up is answered in the same way whatever is known of the address."""
    answers = [seen(await house.sign_up(address, OTHER_PASSWORD)) for address in await everybody(house)]
    assert answers[0][0] == 201
    assert all(answer == answers[0] for answer in answers)


async def test_the_owner_of_an_account_is_told(house: House) -> None:
    """An address with an account gets a mail that says so, and its password stays."""
    address = new_address()
    await house.person(address)
    await house.sign_up(address, OTHER_PASSWORD, "Another")
    text = house.mailbox.texts(address)[-1]
    assert "has an account already" in text
    assert "token" not in text
    good(await house.log_in(address))
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")


async def test_login_tells_nothing(house: House) -> None:
    """27, 28: a wrong password is answered in the same way whatever is known of the address."""
    answers = [seen(await house.log_in(address, OTHER_PASSWORD)) for address in await everybody(house)]
    assert answers[0][:1] == (401,)
    assert all(answer == answers[0] for answer in answers)


async def test_a_banned_person_cannot_log_in(house: House) -> None:
    """24: the right password of somebody who is banned is answered as a wrong one."""
    *_, banned = await everybody(house)
    assert refused(await house.log_in(banned)) == (401, "INVALID_CREDENTIALS")


@pytest.mark.parametrize("path", MAILS)
async def test_mails_tell_nothing(house: House, path: str) -> None:
    """29: asking for a mail is answered in the same way; an unknown address gets none, and no account."""
    addresses = await everybody(house)
    answers = [seen(await house.post(path, {"email": address})) for address in addresses]
    assert answers[0][0] == 200
    assert all(answer == answers[0] for answer in answers)
    assert house.mailbox.texts(addresses[0]) == []
    listed = good(await house.admin("GET", "/users?per_page=1000"))["users"]
    assert addresses[0] not in {user["email"] for user in listed}


async def test_a_mail_a_minute(build: Build) -> None:
    """33: within the pause between two mails the answers are the same, and no mail is sent."""
    async with build(identity_mail_interval=60) as house:
        new, confirmed = new_address(), new_address()
        await house.person(confirmed)
        for path in MAILS:
            first, second = [seen(await house.post(path, {"email": confirmed})) for _ in range(2)]
            assert first == second
        answers = [seen(await house.sign_up(new)) for _ in range(2)]
        assert answers[0] == answers[1]
        assert len(house.mailbox.texts(new)) == 1


async def test_a_planted_password(house: House) -> None:
    """30: of two sign-ups the one whose link is followed decides password and name; the other's link is dead."""
    address = new_address()
    await house.sign_up(address, OTHER_PASSWORD, "Attackers")
    await house.sign_up(address, PASSWORD, "Owners")
    assert refused(await house.follow(address, 0)) == (400, "LINK_EXPIRED")
    session = good(await house.follow(address, 1))
    assert good(await house.me(session["access_token"]))["organization"]["name"] == "Owners"
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")
    good(await house.log_in(address, PASSWORD))


@pytest.mark.parametrize("path", ["/magic-link", "/password/reset"])
async def test_a_password_planted_before_another_mail(house: House, path: str) -> None:
    """A password that somebody set for an address is gone when its owner gets in by a mail of their own."""
    address = new_address()
    await house.sign_up(address, OTHER_PASSWORD, "Attackers")
    good(await house.post(path, {"email": address}))
    session = good(await house.follow(address))
    assert good(await house.me(session["access_token"]))["organization"]["name"] == address.partition("@")[0]
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")


async def test_each_pending_sign_up_has_its_own_id(house: House) -> None:
    """An earlier one that was not confirmed is replaced."""
    address = new_address()
    ids = {good(await house.sign_up(address), 201)["user"]["id"] for _ in range(3)}
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("password", "status"),
    [
        ("", 400), ("12345", 400), ("123456", 201), ("a" * 72, 201), ("a" * 73, 400), ("ä" * 36, 201), ("ä" * 37, 400),
        ("🔑" * 6, 201), ("🔑" * 5, 400), ("      ", 400), ("  a b  ", 201),
    ],
)  # fmt: skip
async def test_passwords(house: House, password: str, status: int) -> None:
    """31: six characters at least and 72 bytes at most; what cannot be used makes no account."""
    address = new_address()
    answer = await house.sign_up(address, password)
    assert answer.status_code == status
    if status == 201:
        good(await house.follow(address))
        good(await house.log_in(address, password))
    else:
        assert refused(answer) == (400, "WEAK_PASSWORD")
        assert answer.json()["details"][0]["field"] == "password"
        assert house.mailbox.texts(address) == []


async def test_one_account_however_an_address_is_spelt(house: House) -> None:
    """32: capitals and spaces around it make no other address; a plus does."""
    address = new_address()
    session = await house.person(f"  {address.upper()} ")
    assert session["user"]["email"] == address
    assert good(await house.log_in(address.title()))["user"]["id"] == session["user"]["id"]
    tagged = address.replace("@", "+tag@")
    assert (await house.person(tagged))["user"]["id"] != session["user"]["id"]


NO_ADDRESSES: list[Any] = [
        None, 5, "", " ", "ann", "ann@", "@example.com", "a b@example.com", "ann@example..com", "ann@-example.com",
        "a\nb@example.com", "аnn@example.com", "ann@ехample.com", "ann@example.com,ben@example.com",
        "Ann <ann@example.com>", f"{'a' * 250}@example.com", ["ann@example.com"],
        "=?utf-8?q?ben=40example.com=2c?=@example.com",
]  # fmt: skip


@pytest.mark.parametrize("path", ["/signup", "/login", *MAILS])
async def test_what_is_no_address(embedded: House, path: str) -> None:
    """Look-alikes of other scripts, lists and names are no addresses, wherever one is asked for."""
    for email in NO_ADDRESSES:
        answer = await embedded.post(path, WHOLE | {"email": email})
        assert refused(answer) == (400, "INVALID_REQUEST"), email
        assert answer.json()["details"][0]["field"] == "email"


@pytest.mark.parametrize("name", [None, 5, "", "   ", "a" * 201, "a\nb", "a\x07", "a\u202eb"])
async def test_what_is_no_name(embedded: House, name: Any) -> None:
    """An organization's name has 1 to 200 characters."""
    assert refused(await embedded.post("/signup", WHOLE | {"organizationName": name})) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("missing", list(WHOLE))
async def test_what_is_missing(embedded: House, missing: str) -> None:
    """Each of the three is needed."""
    given = {name: value for name, value in WHOLE.items() if name != missing}
    assert refused(await embedded.post("/signup", given)) == (400, "INVALID_REQUEST")


async def test_a_long_name(house: House) -> None:
    """200 characters of any script, white space around them aside."""
    session = await house.person(name=f"  {'🦉' * 200} ")
    assert good(await house.me(session["access_token"]))["organization"]["name"] == "🦉" * 200


async def test_nobody_makes_themselves_more(house: House) -> None:
    """34: what somebody says of themselves gives no right; what only administrators may say is refused."""
    session, other = await house.person(), await house.person()
    token, claims = session["access_token"], {
        "role": "admin", "organization_id": other["user"]["organization_id"], "email_verified": True,
    }  # fmt: skip
    good(await house.identity("PUT", "/user", {"data": claims}, token))
    refreshed = good(await house.refresh(session["refresh_token"]))["access_token"]
    assert good(await house.me(refreshed))["organization"]["id"] == session["user"]["organization_id"]
    foreign = await house.me(refreshed, **{"X-Organization-Id": other["user"]["organization_id"]})
    assert refused(foreign) == (403, "FORBIDDEN")
    wanted = await house.identity("PUT", "/user", {"app_metadata": {"role": "service_role"}}, token)
    assert (wanted.status_code, wanted.json()["code"]) == (403, "not_admin")


async def test_closed(build: Build) -> None:
    """Where signing up is closed nobody gets in who was not invited, with a provider neither."""
    async with build(identity_signup="off") as house:
        assert refused(await house.sign_up(new_address())) == (403, "SIGNUP_CLOSED")
        direct = await house.identity("POST", "/signup", {"email": new_address(), "password": PASSWORD})
        assert (direct.status_code, direct.json()["code"]) == (422, "signup_disabled")


async def test_mail_server_down(build: Build) -> None:
    """Signing up is 503 for any address, with or without an account; what asks for a mail is 200 for any."""
    confirmed, pending = new_address(), new_address()
    async with build() as house:
        await house.person(confirmed)
        await house.sign_up(pending)
    async with build(smtp_url="smtp://127.0.0.1:1") as house:
        for address in (new_address(), pending, confirmed):
            answer = await house.sign_up(address)
            assert refused(answer) == (503, "IDENTITY_UNAVAILABLE")
            assert int(answer.headers["retry-after"]) > 0
            for path in MAILS:
                assert (await house.post(path, {"email": address})).status_code == 200
        good(await house.log_in(confirmed))


async def test_text_that_is_not_json(embedded: House) -> None:
    """Media type goes before everything, and a body before nothing else."""
    for path in ("/signup", "/login", "/refresh", "/verify", "/oauth/exchange", *MAILS):
        form = await embedded.http.post(f"/api/auth{path}", content=b"email=a", headers={"Content-Type": "text/plain"})
        assert refused(form) == (415, "UNSUPPORTED_MEDIA_TYPE")
        bad = await embedded.http.post(f"/api/auth{path}", content=b"{", headers={"Content-Type": "application/json"})
        assert refused(bad) == (400, "MALFORMED_JSON")

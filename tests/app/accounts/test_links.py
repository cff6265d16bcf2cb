"""Links in mails: good for once, and for what they were sent for."""

import asyncio

import pytest

from tests.app.accounts.house import OTHER_PASSWORD, House, good, new_address, refused

EXPIRED = (400, "LINK_EXPIRED")


async def test_two_uses_at_once(house: House) -> None:
    """35: of several uses of one link one succeeds."""
    address = new_address()
    await house.person(address)
    await house.post("/magic-link", {"email": address})
    answers = await asyncio.gather(*(house.follow(address) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400, 400]


async def test_a_newer_link(house: House) -> None:
    """37: it takes the place of the older one."""
    address = new_address()
    await house.person(address)
    for _ in range(2):
        await house.post("/magic-link", {"email": address})
    assert refused(await house.follow(address, -2)) == EXPIRED
    good(await house.follow(address))


async def test_a_changed_password(house: House) -> None:
    """37: it makes open links void."""
    address = new_address()
    session = await house.person(address)
    await house.post("/password/reset", {"email": address})
    changed = await house.post("/password/update", {"password": OTHER_PASSWORD}, session["access_token"])
    assert changed.status_code == 204
    assert refused(await house.follow(address)) == EXPIRED


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("/password/reset", ("signup", "invite")),
        ("/magic-link", ("signup", "invite")),
        (None, ("recovery", "magiclink")),
    ],
)
async def test_the_type_has_to_fit(house: House, path: str | None, wrong: tuple[str, ...]) -> None:
    """38: a link opens as what it was sent for and not as another; trying does not use it up."""
    address = new_address()
    if path:
        await house.person(address)
        await house.post(path, {"email": address})
    else:
        await house.sign_up(address)
    token = house.mailbox.token(address)
    for kind in wrong:
        assert refused(await house.post("/verify", {**token, "type": kind})) == EXPIRED
    good(await house.post("/verify", {**token, "type": "email"}))


@pytest.mark.parametrize("token", ["x", "a" * 4096, "../..", "%00", "\u202e"])
async def test_unknown_tokens(house: House, token: str) -> None:
    """A token that nobody was sent is as good as an expired one."""
    assert refused(await house.post("/verify", {"token_hash": token, "type": "signup"})) == EXPIRED


@pytest.mark.parametrize(
    "body",
    [
        {}, {"token_hash": "x"}, {"type": "signup"}, {"token_hash": "", "type": "signup"},
        {"token_hash": 5, "type": "email"}, {"token_hash": "x", "type": "nonsense"}, {"token_hash": "x", "type": None},
        {"token_hash": "a" * 5000, "type": "email"},
    ],
)  # fmt: skip
async def test_what_is_no_link(embedded: House, body: dict[str, object]) -> None:
    """It is the body that is wrong."""
    assert refused(await embedded.post("/verify", body)) == (400, "INVALID_REQUEST")


async def test_a_scanner(house: House) -> None:
    """39: a mail scanner that fetches the page uses nothing up."""
    address = new_address()
    await house.sign_up(address)
    link = house.mailbox.link(address)
    for method in ("GET", "HEAD", "GET"):
        answer = await house.http.request(method, link)
        assert answer.status_code == 200
        assert house.mailbox.token(address)["token_hash"] not in answer.text
    good(await house.follow(address))


async def test_links_do_not_follow_the_request(house: House) -> None:
    """42: a forged Host changes no link."""
    address = new_address()
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Origin": "http://evil.example"}
    body = {"email": address, "password": OTHER_PASSWORD, "organizationName": "Birders"}
    answer = await house.http.post("/api/auth/signup", json=body, headers=headers | {"Referer": "http://evil.example/"})
    assert answer.status_code == 201
    assert "evil" not in "".join(house.mailbox.texts(address))
    assert house.mailbox.token(address)["type"] == "signup"

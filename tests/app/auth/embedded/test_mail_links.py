"""Magic links, recovery, resending: what a mail's link opens, and how often."""

import asyncio

import pytest

from .house import OTHER_PASSWORD, PASSWORD, SITE, Builder, House, fragment, good, new_address, query, refused

EXPIRED = (403, "otp_expired")
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # of RFC 7636, appendix B
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


async def magic_token(house: House, address: str) -> str:
    good(await house.post("/otp", {"email": address, "create_user": False}))
    return house.mailbox.token(address)


async def test_magic_link_works_once(house: House) -> None:
    """A magic link gives one session; the second use is refused."""
    address = new_address()
    await house.member(address)
    token = await magic_token(house, address)
    good(await house.user(good(await house.verify("magiclink", token))))
    assert refused(await house.verify("magiclink", token)) == EXPIRED


async def test_parallel_uses_give_one_session(house: House) -> None:
    """Of ten uses of one link at once exactly one succeeds."""
    address = new_address()
    await house.member(address)
    token = await magic_token(house, address)
    answers = await asyncio.gather(*(house.verify("magiclink", token) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [403] * 9


@pytest.mark.parametrize(("seconds", "status"), [(3599, 200), (3601, 403)])
async def test_links_live_an_hour(house: House, seconds: float, status: int) -> None:
    """A link works within its hour and not after."""
    address = new_address()
    await house.member(address)
    token = await magic_token(house, address)
    house.clock.advance(seconds)
    assert (await house.verify("magiclink", token)).status_code == status


async def test_newer_replaces_older(house: House) -> None:
    """A newer link ends the older one."""
    address = new_address()
    await house.member(address)
    first, second = await magic_token(house, address), await magic_token(house, address)
    assert refused(await house.verify("magiclink", first)) == EXPIRED
    good(await house.verify("magiclink", second))


async def test_password_change_voids_links(house: House) -> None:
    """A changed password voids the links that are under way."""
    address = new_address()
    session = await house.member(address)
    token = await magic_token(house, address)
    good(await house.call("PUT", "/user", {"password": OTHER_PASSWORD}, bearer=session["access_token"]))
    assert refused(await house.verify("magiclink", token)) == EXPIRED


CONFIRMS, RECOVERS = {"signup", "invite", "email"}, {"magiclink", "recovery", "email"}


@pytest.mark.parametrize("link_type", sorted(CONFIRMS | RECOVERS | {"email_change"}))
async def test_types_fit_their_token(house: House, link_type: str) -> None:
    """Confirmations open with signup, invite, email; magic and recovery links with magiclink, recovery, email."""
    address = new_address()
    await house.sign_up(address)
    confirmed = await house.verify(link_type, house.mailbox.token(address))
    assert (confirmed.status_code == 200) == (link_type in CONFIRMS)
    address = new_address()
    await house.member(address)
    entered = await house.verify(link_type, await magic_token(house, address))
    assert (entered.status_code == 200) == (link_type in RECOVERS)


async def test_wrong_type_costs_nothing(house: House) -> None:
    """A link shown under a wrong type is still good under its own."""
    address = new_address()
    await house.sign_up(address)
    token = house.mailbox.token(address)
    assert refused(await house.verify("recovery", token)) == EXPIRED
    assert refused(await house.verify("nonsense", token)) == (400, "validation_failed")
    good(await house.verify("signup", token))


async def test_magic_link_of_an_unknown_address(house: House) -> None:
    """Without leave to create, an unknown address gets no mail; with it, a confirmation."""
    address = new_address()
    assert refused(await house.post("/otp", {"email": address, "create_user": False})) == (422, "otp_disabled")
    assert house.mailbox.mails == []
    good(await house.post("/otp", {"email": address}))
    good(await house.verify("signup", house.mailbox.token(address)))


async def test_recovery(house: House) -> None:
    """A recovery link gives a session that may set a new password."""
    address = new_address()
    await house.member(address)
    good(await house.post("/recover", {"email": address}))
    session = good(await house.verify("recovery", house.mailbox.token(address)))
    good(await house.call("PUT", "/user", {"password": OTHER_PASSWORD}, bearer=session["access_token"]))
    assert refused(await house.log_in(address, PASSWORD)) == (400, "invalid_credentials")
    good(await house.log_in(address, OTHER_PASSWORD))


@pytest.mark.parametrize("path", ["/recover", "/resend"])
async def test_unknown_addresses_are_not_told(house: House, path: str) -> None:
    """Recovery and resending answer an unknown address as a known one, and send nothing."""
    answer = await house.post(path, {"email": new_address(), "type": "signup"})
    assert (answer.status_code, answer.json()) == (200, {})
    assert house.mailbox.mails == []


BAD = [
    ("/otp", {}, "validation_failed"),
    ("/otp", {"email": "nobody"}, "validation_failed"),
    ("/otp", {"email": "a@example.com", "phone": "12345678"}, "validation_failed"),
    ("/otp", {"email": "a@example.com", "create_user": "no"}, "bad_json"),
    ("/recover", {}, "validation_failed"),
    ("/recover", {"email": 5}, "bad_json"),
    ("/resend", {"email": "a@example.com"}, "validation_failed"),
    ("/resend", {"type": "recovery", "email": "a@example.com"}, "validation_failed"),
    ("/resend", {"type": "signup"}, "validation_failed"),
    ("/verify", {}, "validation_failed"),
    ("/verify", {"type": "signup"}, "validation_failed"),
    ("/verify", {"type": "signup", "token": "1", "token_hash": "2"}, "validation_failed"),
    ("/verify", {"type": "signup", "token_hash": "2", "email": "a@example.com"}, "validation_failed"),
    ("/verify", {"type": 1}, "bad_json"),
]


@pytest.mark.parametrize(("path", "body", "code"), BAD)
async def test_bad_input(house: House, path: str, body: dict[str, object], code: str) -> None:
    """Bad input at the mail endpoints is 400 with its code."""
    assert refused(await house.post(path, body)) == (400, code)


async def test_code_instead_of_the_link(house: House) -> None:
    """The six digits of the mail work with the address, once, and with no other address."""
    address, other = new_address(), new_address()
    await house.member(address)
    await house.member(other)
    await magic_token(house, address)
    code = house.mailbox.code(address)
    stranger = await house.post("/verify", {"type": "email", "email": other, "token": code})
    assert refused(stranger) == EXPIRED
    good(await house.post("/verify", {"type": "email", "email": address, "token": code}))
    assert refused(await house.post("/verify", {"type": "email", "email": address, "token": code})) == EXPIRED


async def test_guessing_ends_the_code_not_the_link(house: House) -> None:
    """After five wrong guesses the code is dead, but the link that came with it works."""
    address = new_address()
    await house.member(address)
    token = await magic_token(house, address)
    code = house.mailbox.code(address)
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    for guess in (*[wrong] * 5, code):
        answer = await house.post("/verify", {"type": "email", "email": address, "token": guess})
        assert refused(answer) == EXPIRED
    good(await house.verify("magiclink", token))


@pytest.mark.parametrize("again", ["/signup", "/resend", "/otp"])
async def test_new_mails_give_no_new_guesses(house: House, again: str) -> None:
    """Asking for another mail does not give the guesser five more tries."""
    address = new_address()
    await house.sign_up(address)
    for _ in range(5):
        await house.post("/verify", {"type": "email", "email": address, "token": "x"})
    good(await house.post(again, {"email": address, "password": PASSWORD, "type": "signup"}))
    body = {"type": "email", "email": address, "token": house.mailbox.code(address)}
    assert refused(await house.post("/verify", body)) == EXPIRED
    good(await house.verify("signup", house.mailbox.token(address)))


async def test_link_in_the_browser(house: House) -> None:
    """Followed in a browser, a link redirects with the tokens in the fragment, then with an error."""
    address = new_address()
    await house.member(address)
    good(await house.post(f"/otp?redirect_to={SITE}/welcome", {"email": address}))
    link = house.mailbox.link(address)
    first = await house.http.get(link)
    assert first.status_code == 303
    assert first.headers["location"].startswith(f"{SITE}/welcome#")
    told = fragment(first.headers["location"])
    assert (told["type"], told["token_type"], told["expires_in"]) == ("magiclink", "bearer", "3600")
    good(await house.user(told))
    second = fragment((await house.http.get(link)).headers["location"])
    assert (second["error"], second["error_code"], second["sb"]) == ("access_denied", "otp_expired", "")


async def test_head_does_not_use_a_link(house: House) -> None:
    """A scanner's HEAD leaves the link good."""
    address = new_address()
    await house.sign_up(address)
    assert (await house.http.head(house.mailbox.link(address))).status_code == 405
    good(await house.verify("signup", house.mailbox.token(address)))


async def test_pkce_link(house: House) -> None:
    """Under PKCE the link ends in a code that only the right verifier exchanges, once."""
    address = new_address()
    await house.member(address)
    body = {"email": address, "code_challenge": CHALLENGE, "code_challenge_method": "s256"}
    good(await house.post("/otp", body))
    location = (await house.http.get(house.mailbox.link(address))).headers["location"]
    code = query(location)["code"]
    wrong = await house.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": "x" * 43})
    assert refused(wrong) == (400, "bad_code_verifier")
    right = {"auth_code": code, "code_verifier": VERIFIER}
    good(await house.user(good(await house.post("/token?grant_type=pkce", right))))
    assert refused(await house.post("/token?grant_type=pkce", right)) == (404, "flow_state_not_found")


async def test_pkce_code_expires(house: House) -> None:
    """Five minutes after the link was followed its code is too old; an hour-old link itself is not."""
    address = new_address()
    body = {"email": address, "password": PASSWORD, "code_challenge": CHALLENGE, "code_challenge_method": "s256"}
    good(await house.post("/signup", body))
    house.clock.advance(3500)
    code = query((await house.http.get(house.mailbox.link(address))).headers["location"])["code"]
    house.clock.advance(301)
    answer = await house.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
    assert refused(answer) == (422, "flow_state_expired")


async def test_links_to_the_house_page(build: Builder) -> None:
    """A server that leads to a page of the house puts `token_hash` and type in the link, whatever the Host."""
    house, address = await build(confirm_url=f"{SITE}/auth/confirm"), new_address()
    body = {"email": address, "password": PASSWORD}
    good(await house.post("/signup", body, headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}))
    assert house.mailbox.link(address).startswith(f"{SITE}/auth/confirm?token_hash=")
    good(await house.verify("signup", house.mailbox.token(address)))


async def test_mail_frequency(build: Builder) -> None:
    """Magic link and recovery share one minute; an unknown address is not limited by it."""
    house, address = await build(mail_interval=60), new_address()
    await house.member(address)
    await magic_token(house, address)
    for path in ("/otp", "/recover"):
        answer = await house.post(path, {"email": address})
        assert refused(answer) == (429, "over_email_send_rate_limit")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    good(await house.post("/recover", {"email": new_address()}))

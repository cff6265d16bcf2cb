"""Signing in with a provider, end to end: the provider is real HTTP on loopback, the browser keeps cookies."""

import pytest

from tests.app.accounts.conftest import DOMAIN, Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, SITE, House, good, new_address, refused
from tests.app.accounts.journey import CALLBACK, Journey, query_of


async def test_what_is_switched_on(house: House) -> None:
    """The list names what is switched on, and marks what is Enterprise."""
    assert good(await house.get("/api/auth/providers")) == {
        "providers": [
            {"id": "google", "name": "Google", "enterprise": False},
            {"id": "azure", "name": "Microsoft", "enterprise": False},
            {"id": "sso", "name": "Single sign-on", "enterprise": True},
        ]
    }


@pytest.mark.parametrize("name", ["google", "azure"])
async def test_first_sign_in(journey: Journey, name: str) -> None:
    """The first sign-in makes the organization that was named at its start; the answer is kept nowhere."""
    address = journey.person()
    answer = await journey.sign_in(name, organizationName="  Lake watchers ")
    session = good(answer)
    assert answer.headers["cache-control"] == "no-store"
    assert set(session) == {"access_token", "refresh_token", "expires_in", "token_type", "user"}
    assert session["user"]["email"] == address
    me = good(await journey.house.me(session["access_token"]))
    assert (me["organization"]["name"], me["role"]) == ("Lake watchers", "owner")
    again = await journey.arrive(name, organizationName="Another")
    assert again["user"] == session["user"]


async def test_an_organization_without_a_name(journey: Journey) -> None:
    """It is called after what is before the address's @."""
    address = journey.person()
    session = await journey.arrive()
    me = good(await journey.house.me(session["access_token"]))
    assert me["organization"]["name"] == address.partition("@")[0]


async def test_the_cookie(journey: Journey) -> None:
    """It is for our site alone, out of reach of scripts, and gone when the browser is back."""
    journey.person()
    left = await journey.start()
    cookie = left.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=600" in cookie
    assert "domain" not in cookie
    assert left.headers["cache-control"] == "no-store"
    arrived = await journey.sign_in()
    assert "max-age=0" in arrived.headers["set-cookie"].lower()


async def test_on_to_where_it_came_from(journey: Journey) -> None:
    """58: with `next` the browser goes on with a one-time code for the token set; no token is in an address."""
    address = journey.person()
    arrived = await journey.sign_in(next=f"{SITE}/welcome?tab=1")
    assert arrived.status_code == 302
    assert arrived.headers["referrer-policy"] == "no-referrer"
    location = arrived.headers["location"]
    assert location.startswith(f"{SITE}/welcome?tab=1&code=")
    exchanged = await journey.house.post("/oauth/exchange", {"code": query_of(location)["code"]})
    assert exchanged.headers["cache-control"] == "no-store"
    session = good(exchanged)
    assert session["user"]["email"] == address
    assert session["access_token"] not in location
    assert good(await journey.house.me(session["access_token"]))["user"]["email"] == address
    again = await journey.house.post("/oauth/exchange", {"code": query_of(location)["code"]})
    assert refused(again) == (400, "LINK_EXPIRED")


async def test_a_path_as_next(journey: Journey) -> None:
    """A path leads into our own site."""
    journey.person()
    assert (await journey.sign_in(next="/welcome")).headers["location"].startswith(f"{SITE}/welcome?code=")


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example",
        "javascript:alert(1)", "data:text/html,x", "http://kb.test@evil.example/", "http://user@kb.test/",
        "http://kb.test.evil.example/", "https://kb.test/", "http://kb.test:8080/", "http://2130706433/",
        "/a\r\nSet-Cookie: a=b", "/a\tb", "http://kb.test/\x00", "ftp://kb.test/", "http:///kb.test", "evil", "",
        f"{SITE}/{'a' * 3000}", "http://[kb.test/", "http://kb.test:99999/", "http://kb\u3002test/",
    ],
)  # fmt: skip
async def test_nowhere_else(embedded: House, target: str) -> None:
    """41: `next` leads to our own site or to what is listed, and to nothing that a browser might read otherwise."""
    answer = await embedded.get("/api/auth/oauth/google", params={"next": target})
    assert refused(answer) == (400, "INVALID_REQUEST")
    assert "location" not in answer.headers


async def test_a_listed_address(build: Build) -> None:
    """`next` leads to what KB_ALLOWED_REDIRECTS names, and not to a host that its pattern only seems to fit."""
    async with build(allowed_redirects="https://app.example.net/cb, https://*.example.org/**") as house:
        for target, status in {
            "https://app.example.net/cb": 302,
            "https://a.example.org/x": 302,
            "https://[2001:db8::1]?.example.org/x": 400,
        }.items():
            assert (await house.get("/api/auth/oauth/google", params={"next": target})).status_code == status


async def test_callback_without_a_beginning(journey: Journey) -> None:
    """43: an unknown state, a used one, a missing cookie and another browser's are refused; nobody is logged in."""
    journey.person()
    assert refused(await journey.browser.get(f"{CALLBACK}?state=x&code=y")) == (400, "LINK_EXPIRED")
    assert refused(await journey.browser.get(CALLBACK)) == (400, "LINK_EXPIRED")

    back = await journey.callback()
    async with journey.house.browser() as another:
        assert refused(await another.get(back)) == (400, "LINK_EXPIRED")
        await Journey(journey.house, another).callback()
        assert refused(await another.get(back)) == (400, "LINK_EXPIRED")
    good(await journey.browser.get(back))
    assert refused(await journey.browser.get(back)) == (400, "LINK_EXPIRED")


async def test_two_people_at_once(house: House) -> None:
    """44: each gets in as who they are, and a code is of no use to another's verifier."""
    async with house.browser() as one, house.browser() as other:
        ann, ben = Journey(house, one), Journey(house, other)
        anns_address = ann.person()
        anns = await ann.callback()
        bens_address = ben.person()
        bens = await ben.callback()
        swapped = anns.replace(f"code={query_of(anns)['code']}", f"code={query_of(bens)['code']}")
        assert good(await ben.browser.get(bens))["user"]["email"] == bens_address
        assert good(await ann.browser.get(anns))["user"]["email"] == anns_address
        assert refused(await ann.browser.get(swapped)) == (400, "LINK_EXPIRED")


async def test_another_browsers_code(house: House) -> None:
    """44: a code that was stolen on its way is refused in the thief's own sign-in."""
    async with house.browser() as one, house.browser() as other:
        ann, thief = Journey(house, one), Journey(house, other)
        ann.person()
        anns = await ann.callback()
        thief.person()
        thiefs = await thief.callback()
        stolen = thiefs.replace(f"code={query_of(thiefs)['code']}", f"code={query_of(anns)['code']}")
        assert refused(await thief.browser.get(stolen)) == (400, "LINK_EXPIRED")


async def test_cancelled(journey: Journey) -> None:
    """45: who changes their mind at the provider is told so, without the provider's own words."""
    journey.person()
    journey.house.openid.refusal = "access_denied"
    answer = await journey.sign_in()
    assert refused(answer) == (400, "INVALID_REQUEST")
    assert "<b>" not in answer.text


@pytest.mark.parametrize("flaw", ["signature", "audience", "issuer", "nonce", "expired", "algorithm"])
async def test_an_id_token_that_cannot_be_trusted(journey: Journey, flaw: str) -> None:
    """51: it lets nobody in."""
    journey.person()
    journey.house.openid.flaw = flaw  # type: ignore[assignment]
    assert refused(await journey.sign_in()) == (400, "INVALID_REQUEST")


async def test_an_address_that_the_provider_does_not_vouch_for(journey: Journey) -> None:
    """46: it does not open the account that has it."""
    address = new_address()
    await journey.house.person(address)
    journey.person(address, verified=False)
    assert refused(await journey.sign_in()) == (400, "INVALID_REQUEST")


async def test_an_address_that_the_provider_vouches_for(journey: Journey) -> None:
    """47: it opens the account that has it, and the password stays good."""
    address = new_address()
    session = await journey.house.person(address)
    journey.person(address)
    assert (await journey.arrive())["user"] == session["user"]
    good(await journey.house.log_in(address))


async def test_a_password_that_was_planted(journey: Journey) -> None:
    """47: whoever signed up with somebody's address has no way in once its owner came with a provider."""
    address = new_address()
    await journey.house.sign_up(address, PASSWORD, "Attackers")
    journey.person(address)
    session = await journey.arrive()
    assert good(await journey.house.me(session["access_token"]))["organization"]["name"] != "Attackers"
    assert refused(await journey.house.log_in(address)) == (401, "INVALID_CREDENTIALS")
    assert refused(await journey.house.follow(address)) == (400, "LINK_EXPIRED")


@pytest.mark.parametrize("name", ["github", "nonsense", "email", "sso:sso", "%00"])
async def test_what_is_not_switched_on(house: House, name: str) -> None:
    """50: it is 404 in our own words, and the browser goes nowhere."""
    answer = await house.get(f"/api/auth/oauth/{name}")
    assert refused(answer) == (404, "PROVIDER_NOT_ENABLED")
    assert "location" not in answer.headers


async def test_single_sign_on(journey: Journey) -> None:
    """It begins with an address or its domain."""
    address = journey.person(f"ann@{DOMAIN}")
    assert (await journey.arrive("sso", email=f"Whoever@{DOMAIN.upper()}"))["user"]["email"] == address
    assert (await journey.arrive("sso", domain=DOMAIN))["user"]["email"] == address


async def test_single_sign_on_elsewhere(journey: Journey) -> None:
    """An unknown domain is 404, none at all 400."""
    assert refused(await journey.start("sso", domain="elsewhere.example")) == (404, "PROVIDER_NOT_ENABLED")
    assert refused(await journey.start("sso")) == (400, "INVALID_REQUEST")
    assert refused(await journey.start("sso", email="nonsense")) == (400, "INVALID_REQUEST")


async def test_a_foreign_address_at_single_sign_on(journey: Journey) -> None:
    """An address outside the domains is refused whatever the provider says, an account with it or not."""
    address = new_address()
    await journey.house.person(address)
    for foreign in (address, new_address(), f"x@sub.{DOMAIN}", f"x@{DOMAIN}.evil.example"):
        journey.person(foreign)
        assert refused(await journey.sign_in("sso", domain=DOMAIN)) == (400, "INVALID_REQUEST")
    good(await journey.house.log_in(address))


async def test_one_address_two_ways(journey: Journey) -> None:
    """49: the same address by single sign-on and by password is two people with an organization each."""
    address = f"{new_address().partition('@')[0]}@{DOMAIN}"
    by_password = await journey.house.person(address)
    journey.person(address)
    by_sso = await journey.arrive("sso", domain=DOMAIN)
    assert by_password["user"]["id"] != by_sso["user"]["id"]
    organization = by_password["user"]["organization_id"]
    assert organization != by_sso["user"]["organization_id"]
    foreign = await journey.house.me(by_sso["access_token"], **{"X-Organization-Id": organization})
    assert refused(foreign) == (403, "FORBIDDEN")
    managed = await journey.house.post("/password/update", {"password": OTHER_PASSWORD}, by_sso["access_token"])
    assert managed.status_code in (400, 403)

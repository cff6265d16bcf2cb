"""Signing in with OpenID Connect providers, against one that runs on loopback."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from app.auth.embedded import Provider

from .conftest import PASSWORD, SITE, URL, Builder, House, Json, fragment, good, new_address, query, refused
from .openid_provider import CLIENT_ID, CLIENT_SECRET, Flaw, OpenIdProvider, running
from .test_mail_links import CHALLENGE, VERIFIER

WELCOME, UUID_0 = f"{SITE}/welcome", "0" * 32
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "s256"}


@pytest.fixture
async def openid() -> AsyncIterator[OpenIdProvider]:
    async with running(OpenIdProvider()) as provider:
        yield provider


@dataclass
class Journey:
    """A house with a provider, and a browser that goes there and back."""

    house: House
    openid: OpenIdProvider

    def person(self, address: str | None = None, *, verified: Any = True, **more: Any) -> Json:
        address = address or new_address()
        self.openid.person = {
            "sub": f"sub-{address}",
            "email": address,
            "email_verified": verified,
            "name": "Ann",
        } | more
        return self.openid.person

    async def there(self, provider: str = "google", **params: str) -> str:
        asked = {"provider": provider, "redirect_to": WELCOME, **params}
        answer = await self.house.call("GET", "/authorize", params=asked)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    async def back(self, url: str) -> str:
        async with httpx.AsyncClient() as browser:
            callback = (await browser.get(url)).headers["location"]
        assert callback.startswith(f"{URL}/callback?")
        return callback

    async def arrive(self, callback: str) -> str:
        answer = await self.house.http.get(callback)
        assert answer.status_code in (302, 303)
        location: str = answer.headers["location"]
        return location

    async def whole(self, provider: str = "google", **params: str) -> str:
        return await self.arrive(await self.back(await self.there(provider, **{**PKCE, **params})))

    async def exchange(self, location: str, verifier: str = VERIFIER) -> httpx.Response:
        body = {"auth_code": query(location)["code"], "code_verifier": verifier}
        return await self.house.post("/token?grant_type=pkce", body)

    async def log_in(self, provider: str = "google") -> Json:
        return good(await self.exchange(await self.whole(provider)))


def providers(issuer: str) -> dict[str, Any]:
    named = tuple(Provider(name, issuer, CLIENT_ID, CLIENT_SECRET) for name in ("google", "azure", "keycloak"))
    sso = Provider("acme", issuer, CLIENT_ID, CLIENT_SECRET, domains=frozenset({"acme.example"}))
    return {"providers": named, "single_sign_on": (sso,)}


@pytest.fixture
async def journey(build: Builder, openid: OpenIdProvider) -> Journey:
    return Journey(await build(**providers(openid.issuer)), openid)


@pytest.mark.parametrize("provider", ["google", "azure", "keycloak"])
async def test_first_login_makes_the_account(journey: Journey, provider: str) -> None:
    """The first login of a verified address makes a confirmed account; the code works once, with its verifier."""
    person = journey.person()
    location = await journey.whole(provider)
    assert location.startswith(f"{WELCOME}?code=")
    assert refused(await journey.exchange(location, "x" * 43)) == (400, "bad_code_verifier")
    session = good(await journey.exchange(location))
    assert refused(await journey.exchange(location)) == (404, "flow_state_not_found")
    user = session["user"]
    assert (user["email"], user["app_metadata"]["provider"]) == (person["email"], provider)
    assert user["identities"][0]["id"] == person["sub"]
    assert session["provider_token"]
    assert "provider_token" not in good(await journey.house.refresh(session["refresh_token"]))


async def test_second_login_finds_it(journey: Journey) -> None:
    """The same subject comes back to the same account, its address having changed or not."""
    person = journey.person()
    first = await journey.log_in()
    journey.openid.person = {**person, "email": new_address()}
    second = await journey.log_in()
    assert second["user"]["id"] == first["user"]["id"]
    assert second["user"]["email"] == person["email"]


async def test_implicit(journey: Journey) -> None:
    """Without PKCE the tokens come in the fragment."""
    journey.person()
    location = await journey.arrive(await journey.back(await journey.there()))
    assert location.startswith(f"{WELCOME}#")
    good(await journey.house.user(fragment(location)))


async def test_verified_address_links(journey: Journey) -> None:
    """A verified address that equals a confirmed account's is linked to it; its password stays."""
    address = new_address()
    member = await journey.house.member(address)
    journey.person(address)
    session = await journey.log_in()
    assert session["user"]["id"] == member["user"]["id"]
    assert session["user"]["app_metadata"]["providers"] == ["email", "google"]
    good(await journey.house.log_in(address))
    assert "identity_linked" in [event.name for event in journey.house.events]


async def test_verified_address_takes_over_a_pending_one(journey: Journey) -> None:
    """A verified address of an unconfirmed account takes it over: password, link and data are gone."""
    address = new_address()
    await journey.house.sign_up(address, organization_name="Theirs")
    token = journey.house.mailbox.token(address)
    journey.person(address)
    user = (await journey.log_in())["user"]
    assert [identity["provider"] for identity in user["identities"]] == ["google"]
    assert "organization_name" not in user["user_metadata"]
    assert refused(await journey.house.log_in(address)) == (400, "invalid_credentials")
    assert refused(await journey.house.verify("signup", token)) == (403, "otp_expired")


@pytest.mark.parametrize("verified", [False, None, "false", 0])
async def test_unverified_address_of_an_account(journey: Journey, verified: Any) -> None:
    """An address that the provider does not vouch for opens no existing account, and no mail goes out."""
    address = new_address()
    await journey.house.member(address)
    mails = len(journey.house.mailbox.mails)
    journey.person(address, verified=verified)
    told = query(await journey.whole())
    assert (told["error"], told["error_code"]) == ("access_denied", "provider_email_needs_verification")
    assert len(journey.house.mailbox.mails) == mails


async def test_unverified_free_address(journey: Journey) -> None:
    """An unverified free address gets a mail; once it is confirmed, the provider's login works."""
    address = journey.person(verified=False)["email"]
    location = await journey.whole()
    assert query(location)["error_code"] == "provider_email_needs_verification"
    assert fragment(location)["error_code"] == "provider_email_needs_verification"
    good(await journey.house.verify("signup", journey.house.mailbox.token(address)))
    assert (await journey.log_in())["user"]["email"] == address


async def test_unverified_identity_dies_with_its_sign_up(journey: Journey) -> None:
    """An identity planted with an unverified address is gone when the owner confirms by a link of their own."""
    address = journey.person(verified=False)["email"]
    await journey.whole()
    good(await journey.house.post("/recover", {"email": address}))
    session = good(await journey.house.verify("recovery", journey.house.mailbox.token(address)))
    assert [identity["provider"] for identity in session["user"]["identities"]] == ["email"]
    assert query(await journey.whole())["error_code"] == "provider_email_needs_verification"


async def test_unverified_identity_dies_by_an_invitation(journey: Journey) -> None:
    """However often the owner is invited: the identity that somebody planted does not survive the acceptance."""
    address = journey.person(verified=False)["email"]
    await journey.whole()
    for _ in range(2):
        good(await journey.house.admin("POST", "/invite", {"email": address}))
    session = good(await journey.house.verify("invite", journey.house.mailbox.token(address)))
    assert [identity["provider"] for identity in session["user"]["identities"]] == ["email"]


async def test_microsofts_word_for_verified(journey: Journey) -> None:
    """`xms_edov` counts as verified; without it an Azure address does not."""
    journey.person(verified=None, xms_edov=True)
    assert (await journey.log_in("azure"))["user"]["email_confirmed_at"]


FLAWS: list[Flaw] = ["signature", "audience", "issuer", "nonce", "expired", "algorithm"]


@pytest.mark.parametrize("flaw", FLAWS)
async def test_bad_id_tokens(journey: Journey, flaw: Flaw) -> None:
    """An ID token with any flaw signs nobody in."""
    journey.person()
    journey.openid.flaw = flaw
    told = query(await journey.whole())
    assert (told["error"], told["error_code"]) == ("server_error", "unexpected_failure")
    assert good(await journey.house.admin("GET", "/admin/users"))["users"] == []


async def test_refused_by_the_provider(journey: Journey) -> None:
    """A refusal comes back in query and fragment, escaped, and ends the journey."""
    journey.openid.refusal = "access_denied"
    callback = await journey.back(await journey.there(**PKCE))
    location = await journey.arrive(callback)
    assert query(location) == {"error": "access_denied", "error_description": "the person <b>said</b> no"}
    assert "<b>" not in location
    assert "error_code" not in fragment(location)
    assert query(await journey.arrive(callback))["error_code"] == "bad_oauth_state"


async def test_callback_twice(journey: Journey) -> None:
    """A callback that has done its work cannot be used again, before or after the exchange."""
    journey.person()
    callback = await journey.back(await journey.there(**PKCE))
    location = await journey.arrive(callback)
    again = await journey.arrive(callback)
    assert again.startswith(f"{SITE}?")
    assert query(again)["error_code"] == "flow_state_already_used"
    good(await journey.exchange(location))
    assert query(await journey.arrive(callback))["error_code"] == "bad_oauth_state"


async def test_parallel_callbacks_sign_in_once(journey: Journey) -> None:
    """Of callbacks with one code at once, one arrives."""
    journey.person()
    callback = await journey.back(await journey.there(**PKCE))
    locations = await asyncio.gather(*(journey.arrive(callback) for _ in range(5)))
    assert sum("code=" in location.partition("?")[2].split("error")[0] for location in locations) == 1


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ("", "bad_oauth_callback"),
        ("?state=x&code=y", "bad_oauth_state"),
        (f"?state={UUID_0}&code=y", "bad_oauth_state"),
    ],
)
async def test_unknown_state(journey: Journey, params: str, code: str) -> None:
    """A callback that fits no journey is told so at the site."""
    answer = await journey.house.http.get(f"{URL}/callback{params}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{SITE}?")
    assert query(answer.headers["location"])["error_code"] == code


async def test_journeys_take_five_minutes_at_most(journey: Journey) -> None:
    """A state is too old after five minutes."""
    journey.person()
    callback = await journey.back(await journey.there(**PKCE))
    journey.house.clock.advance(301)
    assert query(await journey.arrive(callback))["error_code"] == "bad_oauth_state"


async def test_unknown_code(journey: Journey) -> None:
    """A code that the provider does not know is an error at the place the journey started for."""
    state = query(await journey.there(**PKCE))["state"]
    location = await journey.arrive(f"{URL}/callback?state={state}&code=unknown")
    assert location.startswith(f"{WELCOME}?error=server_error")
    missing = await journey.arrive(f"{URL}/callback?state={state}")
    assert query(missing)["error_code"] == "bad_oauth_callback"


async def test_journeys_at_once_keep_apart(journey: Journey) -> None:
    """Two people who sign in at the same time each get their own account."""
    ann = journey.person()
    ann_back = await journey.back(await journey.there(**PKCE))
    bob = journey.person()
    bob_back = await journey.back(await journey.there(**PKCE))
    arrivals = await asyncio.gather(journey.arrive(ann_back), journey.arrive(bob_back))
    emails = [good(await journey.exchange(location))["user"]["email"] for location in arrivals]
    assert emails == [ann["email"], bob["email"]]


BAD = [
    {"provider": "nonsense"},
    {"provider": "github"},
    {"provider": "acme"},
    {"provider": "google", "code_challenge": CHALLENGE},
    {"provider": "google", "code_challenge": "short", "code_challenge_method": "s256"},
    {"provider": "google", "code_challenge": CHALLENGE, "code_challenge_method": "x"},
]


@pytest.mark.parametrize("params", BAD)
async def test_bad_starts(journey: Journey, params: dict[str, str]) -> None:
    """An unknown or switched-off provider, or a bad challenge, is refused without a redirect."""
    assert refused(await journey.house.call("GET", "/authorize", params=params)) == (400, "validation_failed")


async def test_foreign_redirects_fall_back(journey: Journey) -> None:
    """A redirect address that is not allowed gives way to the site."""
    journey.person()
    location = await journey.whole(redirect_to="https://evil.example/x")
    assert location.startswith(f"{SITE}?code=")


async def test_single_sign_on_by_domain(journey: Journey) -> None:
    """A domain with a connection leads to its provider; the account is apart from one with the same address."""
    address = f"ann-{new_address().split('@')[0]}@acme.example"
    member = await journey.house.member(address)
    journey.person(address)
    asked = {"domain": "ACME.example", "redirect_to": WELCOME, "skip_http_redirect": True, **PKCE}
    url = good(await journey.house.post("/sso", asked))["url"]
    session = good(await journey.exchange(await journey.arrive(await journey.back(url))))
    assert session["user"]["id"] != member["user"]["id"]
    assert session["user"]["app_metadata"]["provider"] == "sso:acme"
    change = await journey.house.call("PUT", "/user", {"password": PASSWORD}, bearer=session["access_token"])
    assert refused(change) == (422, "user_sso_managed")
    assert good(await journey.house.log_in(address))["user"]["id"] == member["user"]["id"]


@pytest.mark.parametrize(("address", "verified"), [("ann@elsewhere.example", True), ("ann@acme.example", False)])
async def test_single_sign_on_keeps_to_its_domain(journey: Journey, address: str, verified: bool) -> None:
    """An address outside the domains, or unverified, is refused whatever the provider says."""
    journey.person(address, verified=verified)
    asked = {"domain": "acme.example", "redirect_to": WELCOME, "skip_http_redirect": True, **PKCE}
    url = good(await journey.house.post("/sso", asked))["url"]
    location = await journey.arrive(await journey.back(url))
    assert query(location)["error_code"] == "provider_email_needs_verification"
    assert good(await journey.house.admin("GET", "/admin/users"))["users"] == []


async def test_single_sign_on_of_other_domains(journey: Journey) -> None:
    """A domain without a connection is not found; neither domain nor provider is bad input."""
    assert refused(await journey.house.post("/sso", {"domain": "x.example"})) == (404, "sso_provider_not_found")
    assert refused(await journey.house.post("/sso", {"provider_id": "google"})) == (404, "sso_provider_not_found")
    assert refused(await journey.house.post("/sso", {})) == (400, "validation_failed")


async def test_id_token_grant(journey: Journey) -> None:
    """An ID token with the hash of the shown nonce signs in; with another nonce it does not."""
    person = journey.person()
    token = journey.openid.id_token(hashlib.sha256(b"nonce").hexdigest())
    body = {"provider": "google", "id_token": token, "nonce": "nonce"}
    session = good(await journey.house.post("/token?grant_type=id_token", body))
    assert session["user"]["email"] == person["email"]
    wrong = await journey.house.post("/token?grant_type=id_token", {**body, "nonce": "other"})
    assert refused(wrong) == (400, "validation_failed")


async def test_closed_and_banned(journey: Journey, build: Builder) -> None:
    """A closed sign-up makes no account for a provider's login; a banned person is refused."""
    journey.person()
    user = (await journey.log_in())["user"]
    good(await journey.house.admin("PUT", f"/admin/users/{user['id']}", {"ban_duration": "1h"}))
    assert query(await journey.whole())["error_code"] == "user_banned"
    closed = Journey(await build(signup_enabled=False, **providers(journey.openid.issuer)), journey.openid)
    closed.person()
    assert query(await closed.whole())["error_code"] == "signup_disabled"

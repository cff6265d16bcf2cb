"""Signing in with OpenID Connect providers, against one that runs on loopback."""

import asyncio
import hashlib

import pytest

from .house import SITE, URL, fragment, good, new_address, query, refused
from .journey import CHALLENGE, PKCE, UUID_0, WELCOME, Journey
from .openid_provider import Flaw


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


async def test_id_token_grant(journey: Journey) -> None:
    """An ID token with the hash of the shown nonce signs in; with another nonce it does not."""
    person = journey.person()
    token = journey.openid.id_token(hashlib.sha256(b"nonce").hexdigest())
    body = {"provider": "google", "id_token": token, "nonce": "nonce"}
    session = good(await journey.house.post("/token?grant_type=id_token", body))
    assert session["user"]["email"] == person["email"]
    wrong = await journey.house.post("/token?grant_type=id_token", {**body, "nonce": "other"})
    assert refused(wrong) == (400, "validation_failed")

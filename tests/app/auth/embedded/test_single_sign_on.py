"""Single sign-on by e-mail domain."""

import pytest

from .house import PASSWORD, good, new_address, query, refused
from .journey import PKCE, WELCOME, Journey


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

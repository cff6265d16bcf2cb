"""Whose account a provider's sign-in opens."""

from typing import Any

import pytest

from .house import Builder, fragment, good, new_address, query, refused
from .journey import Journey, providers


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


async def test_closed_and_banned(journey: Journey, build: Builder) -> None:
    """A closed sign-up makes no account for a provider's login; a banned person is refused."""
    journey.person()
    user = (await journey.log_in())["user"]
    good(await journey.house.admin("PUT", f"/admin/users/{user['id']}", {"ban_duration": "1h"}))
    assert query(await journey.whole())["error_code"] == "user_banned"
    closed = Journey(await build(signup_enabled=False, **providers(journey.openid.issuer)), journey.openid)
    closed.person()
    assert query(await closed.whole())["error_code"] == "signup_disabled"

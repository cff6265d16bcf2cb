"""Signing up, and signing in with a provider, by an invitation."""

import asyncio
import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, insert, select

from app.accounts.providers import Offers
from app.auth.jwks import IdentityUnavailable
from app.identifiers import new_id
from app.invitations import acceptance
from app.models import audit, invitations, memberships, organizations
from app.organizations.service import Organization, create_organization
from pipelines.store.database import Database
from tests.app.accounts.conftest import Build
from tests.app.accounts.house import OTHER_PASSWORD, PASSWORD, House, Json, bearer, good, new_address, refused
from tests.app.accounts.journey import Journey

NOT_FOUND, FORBIDDEN = (404, "NOT_FOUND"), (403, "FORBIDDEN")


async def invited(house: House, address: str, role: str = "member", days: float = 7) -> tuple[Organization, str]:
    """An organization with a pending invitation, and the token of its mail."""
    organization, token = await create_organization(house.database, "Hosts"), secrets.token_urlsafe(32)
    now = datetime.now(UTC)
    row = {
        "id": new_id(), "organization_id": organization.id, "email": address, "role": role,
        "hash": hashlib.sha256(token.encode()).hexdigest(), "created_at": now, "expires_at": now + timedelta(days=days),
    }  # fmt: skip
    await house.database.write(lambda connection: connection.execute(insert(invitations).values(row)).rowcount)
    return organization, token


async def sign_up(house: House, address: str, token: str, password: str = PASSWORD, **more: str) -> Json:
    return good(await _sign_up(house, address, token, password, **more), 201)


async def _sign_up(house: House, address: str, token: str, password: str = PASSWORD, **more: str) -> httpx.Response:
    body = {"email": address, "password": password, "invitation_token": token, **more}
    return await house.post("/signup", body)


async def number_of(database: Database, table: object) -> int:
    counting = select(func.count()).select_from(table)  # type: ignore[call-overload]
    return int(await database.read(lambda connection: connection.execute(counting).scalar_one()))


async def test_signing_up(house: House) -> None:
    """The mail has shown whose the address is: the newcomer joins at once, with no organization of their own."""
    address = new_address()
    organization, token = await invited(house, address, "admin")
    answer = await sign_up(house, address.upper(), token, organizationName="Ignored")
    assert set(answer) == {"success", "user", "message"}
    session = good(await house.log_in(address))
    assert session["user"] == answer["user"] | {"organization_id": str(organization.id)}
    me = good(await house.me(session["access_token"]))
    assert (me["organization"]["name"], me["role"]) == ("Hosts", "admin")
    assert await number_of(house.database, organizations) == 1
    assert refused(await _sign_up(house, address, token)) == NOT_FOUND


async def test_an_invitation_alone_moves_nobody(house: House) -> None:
    """Whoever signs up or logs in without the token gets an organization of their own; the invitation stays."""
    address = new_address()
    organization, _ = await invited(house, address)
    session = await house.person(address)
    good(await house.log_in(address))
    assert session["user"]["organization_id"] != str(organization.id)
    assert await number_of(house.database, invitations) == 1
    assert await number_of(house.database, memberships) == 1


async def test_for_another_address(house: House) -> None:
    """55: anybody else is refused, and the invitation stays good."""
    address = new_address()
    _, token = await invited(house, address)
    assert refused(await _sign_up(house, new_address(), token)) == FORBIDDEN
    await sign_up(house, address, token)


async def test_dead_invitations(house: House) -> None:
    """55: an unknown token and an expired one are 404."""
    address = new_address()
    _, token = await invited(house, address, days=-1)
    for dead in (token, "nonsense"):
        assert refused(await _sign_up(house, address, dead)) == NOT_FOUND
    assert house.mailbox.texts(address) == []


async def test_somebody_with_an_account(house: House) -> None:
    """They are answered as anybody; their password stays, and the invitation is for them to accept when logged in."""
    address = new_address()
    await house.person(address)
    _, token = await invited(house, address)
    answer = await sign_up(house, address, token, OTHER_PASSWORD)
    assert set(answer) == {"success", "user", "message"}
    assert "has an account already" in house.mailbox.texts(address)[-1]
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")
    assert await number_of(house.database, invitations) == 1


async def test_a_planted_password(house: House) -> None:
    """What somebody else had set for the address before is gone."""
    address = new_address()
    await house.sign_up(address, OTHER_PASSWORD, "Attackers")
    _, token = await invited(house, address)
    await sign_up(house, address, token)
    assert refused(await house.log_in(address, OTHER_PASSWORD)) == (401, "INVALID_CREDENTIALS")
    assert refused(await house.follow(address)) == (400, "LINK_EXPIRED")
    good(await house.log_in(address))


async def test_twice_at_once(house: House) -> None:
    """55: of several sign-ups with one invitation one joins; there is one membership."""
    address = new_address()
    _, token = await invited(house, address)
    answers = await asyncio.gather(*(_sign_up(house, address, token) for _ in range(4)))
    assert 201 in {answer.status_code for answer in answers}
    assert await number_of(house.database, memberships) == 1
    good(await house.log_in(address))


async def test_an_invitation_needs_no_settings(embedded: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether signing up is closed is nothing to who is invited."""

    async def ask(*_: Any) -> None:
        raise IdentityUnavailable

    monkeypatch.setattr(Offers, "now", ask)
    address = new_address()
    organization, token = await invited(embedded, address)
    await sign_up(embedded, address, token)
    assert good(await embedded.log_in(address))["user"]["organization_id"] == str(organization.id)


async def test_where_signing_up_is_closed(build: Build) -> None:
    """Who was invited gets in all the same, by a password and with a provider."""
    async with build(identity_signup="off") as house, house.browser() as browser:
        address = new_address()
        _, token = await invited(house, address)
        await sign_up(house, address, token)
        good(await house.log_in(address))

        journey = Journey(house, browser)
        journey.person()
        assert refused(await journey.sign_in()) == (403, "SIGNUP_CLOSED")
        other = journey.person()
        organization, token = await invited(house, other)
        session = await journey.arrive(invitation_token=token)
        assert session["user"]["organization_id"] == str(organization.id)


async def test_a_sign_in_that_was_only_begun_where_signing_up_is_closed(build: Build) -> None:
    """It lets the address in, but to nothing: only the invitation's token joins."""
    async with build(identity_signup="off") as house, house.browser() as browser:
        journey = Journey(house, browser)
        organization, token = await invited(house, journey.person())
        assert (await journey.start(invitation_token=token)).status_code == 302
        session = await journey.arrive()
        assert session["user"]["organization_id"] is None
        assert await number_of(house.database, organizations) == 1
        accepted = await browser.post(
            "/api/invitations/accept", json={"token": token}, headers=bearer(session["access_token"])
        )
        assert good(accepted)["user_id"] == session["user"]["id"]
        assert good(await house.me(session["access_token"]))["organization"]["id"] == str(organization.id)


async def test_with_a_provider(journey: Journey) -> None:
    """57: the first sign-in by an invitation joins its organization and makes none."""
    address = journey.person()
    organization, token = await invited(journey.house, address)
    session = await journey.arrive(invitation_token=token)
    assert session["user"]["organization_id"] == str(organization.id)
    assert await number_of(journey.house.database, organizations) == 1


async def test_with_a_provider_for_another_address(journey: Journey) -> None:
    """It is refused, nobody is logged in or moved, and the invitation stays good."""
    _, token = await invited(journey.house, new_address())
    journey.person()
    assert refused(await journey.sign_in(invitation_token=token)) == FORBIDDEN
    assert await number_of(journey.house.database, memberships) == 0
    assert await number_of(journey.house.database, invitations) == 1


async def test_with_a_provider_and_a_dead_one(journey: Journey) -> None:
    """It is refused before the browser leaves."""
    journey.person()
    assert refused(await journey.start(invitation_token="nonsense")) == NOT_FOUND


async def test_a_member_accepts(embedded: House) -> None:
    """Who is a member already stays what they are, and the invitation is used up; both are one transaction."""
    address = new_address()
    session = await embedded.person(address)
    user_id = UUID(session["user"]["id"])
    organization, token = await invited(embedded, address, "admin")
    digest = hashlib.sha256(token.encode()).hexdigest()
    now = datetime.now(UTC)
    member = await embedded.database.write(acceptance.accept, digest, user_id, address.upper(), now)
    assert (member.organization_id, member.role) == (organization.id, "admin")
    with pytest.raises(acceptance.InvitationNotFound):
        await embedded.database.write(acceptance.accept, digest, user_id, address, now)
    recorded = select(audit.c.actor).where(audit.c.action == "invitation_accepted")
    actors = await embedded.database.read(lambda connection: connection.execute(recorded).scalars().all())
    assert actors == [f"user:{user_id}"]

"""Credentials that are taken back while a request that showed them is on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import httpx
import pytest

from app import bodies
from app.errors import ApiAccessDisabled, Forbidden, Unauthorized
from app.members import repository as members
from app.members.authority import locked
from app.organizations.service import create_organization
from app.principal import Person, Principal
from app.roles import Operation
from tests.app.conftest import page
from tests.app.organizations.conftest import House, Resident, refusal
from tests.app.people import join
from tests.databases import BOTH

DATABASES = BOTH
JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any body that was waited for counts as late."""
    monkeypatch.setattr(bodies, "PROMPT", -1.0)


async def held(
    send: Callable[[AsyncIterator[bytes]], Awaitable[httpx.Response]], body: bytes, meanwhile: Awaitable[object]
) -> httpx.Response:
    """Sends a body's beginning, then something else happens, then its end."""

    async def pieces() -> AsyncIterator[bytes]:
        yield body[:1]
        await asyncio.ensure_future(meanwhile)
        yield body[1:]

    return await send(pieces())


async def test_a_key_that_is_deleted_makes_no_other(house: House, owner: Resident) -> None:
    """The headers come before the key is deleted, the body after it: 401, and there is no new key."""
    made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
    key = await house.with_key(made["key"])
    response = await held(
        lambda body: key.post(f"{house.url}/api-keys", content=body, headers=JSON),
        b'{"name": "undead"}',
        owner.call("DELETE", f"api-keys/{made['id']}"),
    )
    assert response.status_code == 401
    assert [one["name"] for one in (await owner.get("api-keys"))["api_keys"]] == []


async def test_a_key_that_is_deleted_writes_no_document(house: House, owner: Resident) -> None:
    """Neither is a document written."""
    made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
    key = await house.with_key(made["key"])
    response = await held(
        lambda body: key.post("/api/documents", content=body, headers=JSON),
        httpx.Request("POST", "http://kb.test", json=page()).content,
        owner.call("DELETE", f"api-keys/{made['id']}"),
    )
    assert response.status_code == 401
    assert (await owner.get("/api/documents"))["documents"] == []


async def write_meanwhile(writer: Resident, meanwhile: Awaitable[object]) -> httpx.Response:
    return await held(
        lambda body: writer.http.post("/api/documents", content=body, headers=JSON),
        httpx.Request("POST", "http://kb.test", json=page()).content,
        meanwhile,
    )


async def test_an_admin_who_is_demoted_writes_no_document(house: House, owner: Resident) -> None:
    """A role that was there when the request began is no role when its body is there; the token is good: 403."""
    admin = await house.member("admin")
    response = await write_meanwhile(admin, owner.call("PATCH", f"members/{admin.id}", {"role": "member"}))
    assert refusal(response) == (403, "FORBIDDEN")
    assert (await owner.get("/api/documents"))["documents"] == []


async def test_an_admin_who_is_removed_writes_no_document(house: House, owner: Resident) -> None:
    """Neither here nor in the organization that is the default one now."""
    admin = await house.member("admin")
    other = await create_organization(house.knowledge.database, "Another")
    await join(house.knowledge.database, other, admin.somebody, "admin")
    response = await write_meanwhile(admin, owner.call("DELETE", f"members/{admin.id}"))
    assert refusal(response) == (403, "FORBIDDEN")
    assert (await owner.get("/api/documents"))["documents"] == []
    assert (await admin.get("/api/documents"))["documents"] == []


async def test_a_role_that_still_permits_it(house: House, owner: Resident) -> None:
    """Who has become another but may still do it goes on."""
    admin = await house.member("admin")
    response = await write_meanwhile(admin, owner.call("PATCH", f"members/{admin.id}", {"role": "owner"}))
    assert response.status_code == 201


class TestUnderTheLock:
    """What another process has taken back a moment ago, which this one has not heard of."""

    async def test_a_key_that_is_gone(self, house: House, owner: Resident) -> None:
        """A deleted key may nothing, whatever its principal says."""
        made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
        await owner.call("DELETE", f"api-keys/{made['id']}")
        gone = Principal(house.organization.id, "owner", "api_key", key_id=UUID(made["id"]))
        with pytest.raises(Unauthorized):
            await house.knowledge.database.write(locked, gone, Operation.MANAGE_KEYS)

    async def test_keys_that_are_turned_off(self, house: House, owner: Resident) -> None:
        """`api_access: false` holds for who was let in before."""
        made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
        await owner.call("PATCH", "settings", {"features": {"api_access": False}})
        key = Principal(house.organization.id, "owner", "api_key", key_id=UUID(made["id"]))
        with pytest.raises(ApiAccessDisabled):
            await house.knowledge.database.write(locked, key, Operation.EDIT_MEMBERS)

    async def test_a_session_that_has_ended(self, house: House, owner: Resident) -> None:
        """Who has logged out acts no more; who is no member any more neither."""
        now = datetime.now(UTC)
        person = Person(
            user_id=owner.somebody.id,
            session_id=UUID("01890a5d-ac96-774b-bcce-b302099a8057"),
            email=owner.email,
            issued_at=now,
            expires_at=now,
            organization_name=None,
            token="",
        )
        caller = Principal(house.organization.id, "owner", "access_token", person)
        assert (await house.knowledge.database.write(locked, caller, Operation.EDIT_MEMBERS)).role == "owner"
        await house.knowledge.database.write(members.end_session, person.session_id, now)
        with pytest.raises(Unauthorized):
            await house.knowledge.database.write(locked, caller, Operation.EDIT_MEMBERS)
        stranger = replace(caller, person=replace(person, user_id=(await house.member("admin")).somebody.id))
        with pytest.raises((Unauthorized, Forbidden)):
            await house.knowledge.database.write(locked, stranger, Operation.EDIT_OWNERS)

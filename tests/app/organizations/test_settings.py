"""The organization itself, its settings and its usage."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import Connection, select

from app.models import audit
from app.organizations import service
from tests.app.organizations.conftest import House, Resident, refusal
from tests.databases import BOTH

DATABASES = BOTH
FORBIDDEN = (403, "FORBIDDEN")


async def test_an_organization_is_shown(house: House, owner: Resident) -> None:
    """Its fields are those of the specification; the tier is what an operator set."""
    await service.set_plan(house.knowledge.database, house.organization.id, "pro")
    shown = await owner.get("")
    assert set(shown) == {"id", "name", "billing_tier", "member_count", "created_at"}
    assert (shown["id"], shown["name"]) == (str(house.organization.id), "Birders")
    assert (shown["billing_tier"], shown["member_count"]) == ("pro", 1)
    assert shown["created_at"].endswith("Z")


@pytest.mark.parametrize("organization_id", ["01a1fe26-960b-7712-9597-303a6e9541fa", "nonsense", "%00"])
async def test_organizations_of_others_do_not_exist(owner: Resident, organization_id: str) -> None:
    """One that there is not, and one whose id is none, answer like one that the caller is no member of."""
    for path in ("", "/settings", "/members", "/usage", "/api-keys", "/invitations"):
        assert refusal(await owner.call("GET", f"/api/organizations/{organization_id}{path}")) == FORBIDDEN


async def test_the_organization_in_the_path_decides(house: House, owner: Resident) -> None:
    """Not the one in the header."""
    response = await owner.http.get(house.url, headers={"X-Organization-Id": "01a1fe26-960b-7712-9597-303a6e9541fa"})
    assert response.status_code == 200


async def test_settings_change(house: House, owner: Resident) -> None:
    """What is named changes, flags are merged one by one, all else stays, and everything reads it."""
    assert await owner.get("settings") == {"name": "Birders", "features": {"api_access": True}}
    wanted = {"name": "  Herons ", "features": {"chat_integration": True}, "billing_tier": "enterprise", "x": {}}
    response = await owner.call("PATCH", "settings", wanted)
    both = {"api_access": True, "chat_integration": True}
    assert (response.status_code, response.json()) == (200, {"name": "Herons", "features": both})
    response = await owner.call("PATCH", "settings", {"features": {"chat_integration": False}})
    assert response.json() == {"name": "Herons", "features": {**both, "chat_integration": False}}
    assert (await owner.call("PATCH", "settings", {})).json() == response.json()
    assert await owner.get("settings") == response.json()
    shown = await owner.get("")
    assert (shown["name"], shown["billing_tier"]) == ("Herons", "free")


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 201},
        {"name": None},
        {"name": 5},
        {"features": None},
        {"features": []},
        {"features": {"chat": "true"}},
        {"features": {"chat": 1}},
        {"features": {"chat": None}},
        {"features": {"Chat": True}},
        {"features": {"1chat": True}},
        {"features": {"": True}},
        {"features": {"a" * 65: True}},
        {"features": {"a-b": True}},
        {"features": {"a\n": True}},
        {"features": {f"flag_{number}": True for number in range(51)}},
        {"name": "Herons", "features": {"chat": 0}},
    ],
)
async def test_settings_that_cannot_be(owner: Resident, body: object) -> None:
    """A wrong name or flag is 400, and nothing of the request is done."""
    assert refusal(await owner.call("PATCH", "settings", body)) == (400, "INVALID_REQUEST")
    assert await owner.get("settings") == {"name": "Birders", "features": {"api_access": True}}


async def test_names_and_flags_of_full_length(owner: Resident) -> None:
    """200 characters after trimming, of any script, and 64 for a flag."""
    body = {"name": f" {'鷺' * 200} ", "features": {"a" * 64: False}}
    assert (await owner.call("PATCH", "settings", body)).json()["name"] == "鷺" * 200


async def test_flags_are_at_most_fifty_together(owner: Resident) -> None:
    """Merging does not go beyond the limit; changing flags that are there goes on."""
    many = {f"flag_{number}": True for number in range(49)}
    assert (await owner.call("PATCH", "settings", {"features": many})).status_code == 200
    assert refusal(await owner.call("PATCH", "settings", {"features": {"more": True}})) == (400, "INVALID_REQUEST")
    assert (await owner.call("PATCH", "settings", {"features": {"flag_0": False}})).status_code == 200


async def test_flags_that_change_at_once(owner: Resident) -> None:
    """Two changes at the same moment both hold."""
    flags = [f"flag_{number}" for number in range(8)]
    await asyncio.gather(*(owner.call("PATCH", "settings", {"features": {flag: True}}) for flag in flags))
    assert (await owner.get("settings"))["features"] == {"api_access": True, **dict.fromkeys(flags, True)}


async def test_keys_are_turned_off_at_once(house: House, owner: Resident) -> None:
    """`api_access: false` refuses the organization's keys from the next request on, and lets people go on."""
    key = await house.with_key((await owner.call("POST", "api-keys", {"name": "a"})).json()["key"])
    assert (await key.get(house.url)).status_code == 200
    await owner.call("PATCH", "settings", {"features": {"api_access": False}})
    assert refusal(await key.get(house.url)) == (403, "API_ACCESS_DISABLED")
    assert (await owner.call("GET", "")).status_code == 200
    await owner.call("PATCH", "settings", {"features": {"api_access": True}})
    assert (await key.get(house.url)).status_code == 200


async def test_usage(house: House, owner: Resident) -> None:
    """Plan, limits, what is used and left, and when it is full again."""
    usage = await owner.get("usage")
    assert set(usage) == {"plan", "requests", "queries_minute", "queries_month"}
    assert (usage["plan"], usage["requests"]["limit"], usage["requests"]["burst"]) == ("free", 10, 20)
    assert set(usage["requests"]) == {"limit", "burst", "remaining", "reset"}
    assert set(usage["queries_minute"]) == {"limit", "remaining", "reset"}
    month = usage["queries_month"]
    assert (month["limit"], month["used"], month["remaining"]) == (100, 0, 100)
    await service.set_plan(house.knowledge.database, house.organization.id, "enterprise")


async def test_changes_are_audited(house: House, owner: Resident) -> None:
    """What was changed and by whom is recorded; a change that changes nothing is not."""
    await owner.call("PATCH", "settings", {"name": "Herons", "features": {"chat": True, "api_access": True}})
    await owner.call("PATCH", "settings", {"name": "Herons"})
    [(actor, details)] = await house.knowledge.database.read(changes)
    assert actor == f"user:{owner.id}"
    assert details == {"changed": "name: Herons, chat: true"}


def changes(connection: Connection) -> list[tuple[str, dict[str, str]]]:
    rows = connection.execute(select(audit).where(audit.c.action == "settings_changed"))
    return [(row.actor, row.details) for row in rows]

"""API keys as their organization manages them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, select

from app.api_keys.secret import is_well_formed
from app.api_keys.service import create_key
from app.identifiers import new_id
from app.models import audit
from tests.app.organizations.conftest import House, Resident, refusal
from tests.databases import BOTH

DATABASES = BOTH
INVALID = (400, "INVALID_REQUEST")


async def test_a_key_is_shown_once(house: House, owner: Resident) -> None:
    """Its creation shows the secret, which opens the service; the list shows who made it, and no secret."""
    response = await owner.call("POST", "api-keys", {"name": " wiki sync "})
    assert response.status_code == 201
    assert response.headers["cache-control"] == "no-store"
    made = response.json()
    assert set(made) == {"id", "name", "key", "prefix", "created_at", "expires_at"}
    assert (made["name"], made["expires_at"]) == ("wiki sync", None)
    assert is_well_formed(made["key"])
    assert made["key"].startswith(made["prefix"])
    key = await house.with_key(made["key"])
    assert (await key.get("/api/documents")).status_code == 200
    listed = await owner.get("api-keys")
    assert made["key"] not in str(listed)
    [one] = listed["api_keys"]
    assert (one["id"], one["role"], one["created_by"]) == (made["id"], "owner", owner.id)
    assert set(one) == {
        "id",
        "name",
        "prefix",
        "role",
        "created_by",
        "created_at",
        "expires_at",
        "last_used_at",
    }


async def test_keys_are_listed_in_pages(house: House, owner: Resident) -> None:
    """Oldest first, and each on one page."""
    made = [(await owner.call("POST", "api-keys", {"name": name})).json()["id"] for name in "abcde"]
    seen, cursor = [], ""
    while True:
        page = await owner.get(f"api-keys?limit=2{cursor}")
        seen += [one["id"] for one in page["api_keys"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == made


async def test_a_deleted_key_opens_nothing(house: House, owner: Resident) -> None:
    """At once, though it was in use a moment ago; a second time there is no such key."""
    made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
    key = await house.with_key(made["key"])
    assert (await key.get(house.url)).status_code == 200
    assert (await owner.call("DELETE", f"api-keys/{made['id']}")).status_code == 204
    assert (await key.get(house.url)).status_code == 401
    assert refusal(await owner.call("DELETE", f"api-keys/{made['id']}")) == (404, "NOT_FOUND")
    assert (await owner.get("api-keys"))["api_keys"] == []


async def test_a_key_does_what_its_creator_may(house: House, owner: Resident) -> None:
    """A key of an admin makes no owner, nor does a key that it makes; it outlives its creator's role."""
    admin = await house.member("admin")
    first = await house.with_key((await admin.call("POST", "api-keys", {"name": "first"})).json()["key"])
    response = await first.post(f"{house.url}/api-keys", json={"name": "second"})
    second = await house.with_key(response.json()["key"])
    for key in (first, second):
        refused = await key.patch(f"{house.url}/members/{admin.id}", json={"role": "owner"})
        assert refusal(refused) == (403, "FORBIDDEN")
    listed = (await owner.get("api-keys"))["api_keys"]
    assert [(one["role"], one["created_by"]) for one in listed] == [("admin", admin.id)] * 2
    await owner.call("DELETE", f"members/{admin.id}")
    assert (await second.get(f"{house.url}/api-keys")).status_code == 200


async def test_a_key_of_an_owner_is_like_an_owner(house: House, owner: Resident) -> None:
    """It makes and unmakes owners, but for the last one."""
    other = await house.member("member")
    key = await house.with_key((await owner.call("POST", "api-keys", {"name": "a"})).json()["key"])
    for role in ("owner", "member", "owner"):
        assert (await key.patch(f"{house.url}/members/{other.id}", json={"role": role})).status_code == 200
    assert (await key.delete(f"{house.url}/members/{owner.id}")).status_code == 204
    assert refusal(await key.delete(f"{house.url}/members/{other.id}")) == (409, "LAST_OWNER")


async def test_a_key_ends_at_its_moment(owner: Resident) -> None:
    """An end in the future is kept as a moment in UTC; without an offset it is meant so."""
    soon = datetime.now(UTC) + timedelta(days=1)
    for given in (soon.isoformat(), soon.isoformat().replace("+00:00", "Z"), soon.replace(tzinfo=None).isoformat()):
        made = (await owner.call("POST", "api-keys", {"name": "a", "expires_at": given})).json()
        assert made["expires_at"] == soon.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    made = (await owner.call("POST", "api-keys", {"name": "a", "expires_at": "2999-01-01T02:00:00+02:00"})).json()
    assert made["expires_at"] == "2999-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": None},
        {"name": ""},
        {"name": " \x1f "},
        {"name": "x" * 101},
        {"name": "a\x1b[2J\nfake"},
        {"name": "a\u202eb"},
        {"name": 5},
        {"name": "a", "expires_at": "2020-01-01T00:00:00Z"},
        {"name": "a", "expires_at": "tomorrow"},
        {"name": "a", "expires_at": ""},
        {"name": "a", "expires_at": 4102444800},
        {"name": "a", "expires_at": "9999-12-31T23:59:59-14:00"},
        {"name": "a", "expires_at": "2999-02-30T00:00:00Z"},
    ],
)
async def test_keys_that_cannot_be(owner: Resident, body: object) -> None:
    """A key has a name, and an end, if any, that is still to come."""
    assert refusal(await owner.call("POST", "api-keys", body)) == INVALID
    assert (await owner.get("api-keys"))["api_keys"] == []


async def test_keys_of_others_are_unknown(house: House, owner: Resident, stranger: object) -> None:
    """Neither another organization's key nor what is no id can be deleted."""
    other = await house.client(house.people.somebody())
    await other.call("GET", "/api/documents")
    key, _ = await create_key(house.knowledge.database, house.organization.id, "ours")
    mine = (await other.call("GET", "/api/documents")).status_code
    assert mine == 200
    for key_id in (new_id(), "nonsense", "%00"):
        assert refusal(await owner.call("DELETE", f"api-keys/{key_id}")) == (404, "NOT_FOUND")
    assert refusal(await other.call("DELETE", f"api-keys/{key.id}")) == (403, "FORBIDDEN")
    assert len((await owner.get("api-keys"))["api_keys"]) == 1


async def test_keys_are_audited(house: House, owner: Resident) -> None:
    """Who made and who deleted a key is recorded, its secret is not."""
    made = (await owner.call("POST", "api-keys", {"name": "a"})).json()
    key = await house.with_key(made["key"])
    await key.delete(f"{house.url}/api-keys/{made['id']}")
    rows = await house.knowledge.database.read(records)
    assert [(action, actor) for action, actor, _ in rows] == [
        ("key_created", f"user:{owner.id}"),
        ("key_deleted", f"key:{made['id']}"),
    ]
    assert made["key"] not in str(rows)


def records(connection: Connection) -> list[tuple[str, str, str]]:
    return [(row.action, row.actor, str(row)) for row in connection.execute(select(audit).order_by(audit.c.id))]

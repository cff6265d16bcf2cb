"""Members: listed, promoted, removed, gone; and the owner who is always left."""

from __future__ import annotations

import asyncio

import pytest

from app.identifiers import new_id
from tests.app.organizations.conftest import House, Resident, refusal
from tests.databases import BOTH

DATABASES = BOTH
LAST_OWNER = (409, "LAST_OWNER")
FORBIDDEN = (403, "FORBIDDEN")
UNKNOWN = (404, "MEMBER_NOT_FOUND")


async def roles(asking: Resident) -> dict[str, str]:
    return {one["user_id"]: one["role"] for one in (await asking.get("members"))["members"]}


async def test_members_are_listed_in_joining_order(house: House, owner: Resident) -> None:
    """Every member sees all of them, the first who joined first, without a next page when there is none."""
    others = [await house.member(role) for role in ("member", "admin", "member")]
    for asking in (owner, *others):
        listed = await asking.get("members")
        assert [one["user_id"] for one in listed["members"]] == [owner.id, *(one.id for one in others)]
        assert listed["next_cursor"] is None
    first = listed["members"][0]
    assert set(first) == {"user_id", "email", "role", "joined_at"}
    assert (first["email"], first["role"]) == ("owner@example.com", "owner")
    assert first["joined_at"].endswith("Z")


async def test_pages_neither_repeat_nor_skip(house: House, owner: Resident) -> None:
    """Who was there throughout is on exactly one page, although others join and leave in between."""
    there = [owner, *[await house.member("member") for _ in range(6)]]
    seen, cursor = [], ""
    for gone in (there[1], there[5], None, None):
        page = await owner.get(f"members?limit=2{cursor}")
        seen += [one["user_id"] for one in page["members"]]
        if gone:
            await owner.call("DELETE", f"members/{gone.id}")
            await house.member("member")
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen))
    stayed = {one.id for one in there} - {there[1].id, there[5].id}
    assert stayed <= set(seen)


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "cursor=nonsense", "cursor=", "cursor=%C3%BC"])
async def test_pages_that_cannot_be(owner: Resident, query: str) -> None:
    """A limit that is none and a cursor that no list gave out are 400."""
    code = "INVALID_CURSOR" if query.startswith("cursor") else "INVALID_REQUEST"
    assert refusal(await owner.call("GET", f"members?{query}")) == (400, code)


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
async def test_an_owner_gives_any_role(house: House, owner: Resident, role: str) -> None:
    """A changed role is answered, listed, and counts at the next request."""
    other = await house.member("member")
    response = await owner.call("PATCH", f"members/{other.id}", {"role": role})
    assert response.status_code == 200
    assert {key: response.json()[key] for key in ("user_id", "role")} == {"user_id": other.id, "role": role}
    assert (await roles(owner))[other.id] == role
    allowed = (await other.call("GET", "api-keys")).status_code
    assert allowed == (403 if role == "member" else 200)


async def test_an_admin_manages_below_owner(house: House, owner: Resident) -> None:
    """An admin promotes, demotes and removes members and other admins, and can give up the role."""
    admin, other = await house.member("admin"), await house.member("member")
    for role in ("admin", "member", "admin"):
        assert (await admin.call("PATCH", f"members/{other.id}", {"role": role})).status_code == 200
    assert (await admin.call("DELETE", f"members/{other.id}")).status_code == 204
    assert (await admin.call("PATCH", f"members/{admin.id}", {"role": "member"})).status_code == 200
    assert refusal(await admin.call("PATCH", f"members/{admin.id}", {"role": "admin"})) == FORBIDDEN


async def test_an_admin_makes_and_unmakes_no_owner(house: House, owner: Resident) -> None:
    """Neither themselves nor others, and an owner is neither demoted nor removed by an admin."""
    admin, second = await house.member("admin"), await house.member("owner")
    for whom, role in ((admin, "owner"), (second, "owner"), (second, "member"), (owner, "admin")):
        assert refusal(await admin.call("PATCH", f"members/{whom.id}", {"role": role})) == FORBIDDEN
    assert refusal(await admin.call("DELETE", f"members/{second.id}")) == FORBIDDEN
    assert (await roles(owner))[second.id] == "owner"


async def test_the_last_owner_stays(house: House, owner: Resident) -> None:
    """They are neither demoted nor removed until somebody else is an owner."""
    other = await house.member("admin")
    for role in ("admin", "member"):
        assert refusal(await owner.call("PATCH", f"members/{owner.id}", {"role": role})) == LAST_OWNER
    assert refusal(await owner.call("DELETE", f"members/{owner.id}")) == LAST_OWNER
    assert (await owner.call("PATCH", f"members/{owner.id}", {"role": "owner"})).status_code == 200
    await owner.call("PATCH", f"members/{other.id}", {"role": "owner"})
    assert (await owner.call("DELETE", f"members/{owner.id}")).status_code == 204
    assert await roles(other) == {other.id: "owner"}


async def test_everybody_may_leave(house: House, owner: Resident) -> None:
    """Who has left is a stranger at the next request, and the member count tells it."""
    for role in ("admin", "member"):
        leaving = await house.member(role)
        assert (await owner.get(""))["member_count"] == 2
        assert (await leaving.call("DELETE", f"members/{leaving.id}")).status_code == 204
        assert refusal(await leaving.call("GET", "")) == FORBIDDEN
        assert (await owner.get(""))["member_count"] == 1


async def test_a_member_removes_nobody_else(house: House, owner: Resident) -> None:
    """A member hears 403 for others, known or not."""
    member, other = await house.member("member"), await house.member("member")
    for whom in (owner.id, other.id, str(new_id()), "nonsense"):
        assert refusal(await member.call("DELETE", f"members/{whom}")) == FORBIDDEN


@pytest.mark.parametrize("user_id", ["01890a5d-ac96-774b-bcce-b302099a8057", "nonsense", "%00"])
async def test_unknown_members(owner: Resident, user_id: str) -> None:
    """Somebody who is no member cannot be found, whatever their id looks like."""
    assert refusal(await owner.call("PATCH", f"members/{user_id}", {"role": "member"})) == UNKNOWN
    assert refusal(await owner.call("DELETE", f"members/{user_id}")) == UNKNOWN


async def test_members_of_others_are_unknown(house: House, owner: Resident) -> None:
    """A person who belongs to another organization is no member of this one."""
    stranger = await house.client(house.people.somebody())
    await stranger.call("GET", "/api/documents")
    assert refusal(await owner.call("DELETE", f"members/{stranger.id}")) == UNKNOWN


@pytest.mark.parametrize("body", [{}, {"role": None}, {"role": "Owner"}, {"role": "boss"}, {"role": ["owner"]}])
async def test_roles_that_cannot_be(owner: Resident, body: object) -> None:
    """A role is one of three words; a wrong one is 400 before the member is looked for."""
    assert refusal(await owner.call("PATCH", f"members/{new_id()}", body)) == (400, "INVALID_REQUEST")


async def test_an_api_key_does_not_leave(house: House, owner: Resident) -> None:
    """A key removes whoever made it as any other member, and goes on working without them."""
    admin = await house.member("admin")
    made = await admin.call("POST", "api-keys", {"name": "sync"})
    key = await house.with_key(made.json()["key"])
    assert (await key.delete(f"{house.url}/members/{admin.id}")).status_code == 204
    assert (await key.get(f"{house.url}/members")).status_code == 200


async def test_two_owners_who_demote_each_other(house: House, owner: Resident) -> None:
    """Of two owners who demote each other at once, one is left, every time."""
    second = await house.member("owner")
    for _ in range(8):
        answers = await asyncio.gather(
            owner.call("PATCH", f"members/{second.id}", {"role": "admin"}),
            second.call("PATCH", f"members/{owner.id}", {"role": "admin"}),
        )
        assert sorted(answer.status_code for answer in answers) in ([200, 403], [200, 409])
        found = await roles(owner)
        [left] = [one for one in (owner, second) if found[one.id] == "owner"]
        other = second if left is owner else owner
        assert (await left.call("PATCH", f"members/{other.id}", {"role": "owner"})).status_code == 200


async def test_all_owners_leave_at_once(house: House, owner: Resident) -> None:
    """However many owners leave at the same moment, one of them has to stay."""
    owners = [owner, *[await house.member("owner") for _ in range(5)]]
    answers = await asyncio.gather(*(one.call("DELETE", f"members/{one.id}") for one in owners))
    assert sorted(answer.status_code for answer in answers) == [204] * 5 + [409]
    [left] = [one for one, answer in zip(owners, answers, strict=True) if answer.status_code == 409]
    assert await roles(left) == {left.id: "owner"}


async def test_a_role_is_read_again_at_the_act(house: House, owner: Resident) -> None:
    """Somebody who is demoted while their own request waits does not act with the role that they had."""
    admin, other = await house.member("admin"), await house.member("member")
    for _ in range(8):
        await asyncio.gather(
            owner.call("PATCH", f"members/{admin.id}", {"role": "member"}),
            admin.call("PATCH", f"members/{other.id}", {"role": "admin"}),
        )
        assert (await roles(owner))[admin.id] == "member"
        await owner.call("PATCH", f"members/{admin.id}", {"role": "admin"})
        await owner.call("PATCH", f"members/{other.id}", {"role": "member"})

"""Invitations: sent, repeated, revoked, and accepted by whom they are for."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, select, update

from app.invitations import acceptance
from app.models import audit, invitations
from tests.app.organizations.conftest import House, Resident, refusal
from tests.databases import BOTH

DATABASES = BOTH
ACCEPT = "/api/invitations/accept"
GRACE = "grace@example.com"
FORBIDDEN = (403, "FORBIDDEN")
DEAD = (404, "NOT_FOUND")


async def newcomer(house: House, email: str = GRACE) -> Resident:
    return await house.client(house.people.somebody(email))


async def invite(asking: Resident, email: str = GRACE, role: str = "member") -> dict[str, str]:
    response = await asking.call("POST", "members", {"email": email, "role": role})
    assert response.status_code in (200, 201), response.text
    answer: dict[str, str] = response.json()
    return answer


async def test_an_invitation_is_answered_and_mailed(house: House, owner: Resident) -> None:
    """The answer names address, role and end; the mail leads to our page, and its token is stored nowhere."""
    response = await owner.call("POST", "members", {"email": " Grace@Example.com", "role": "admin"})
    assert response.status_code == 201
    made = response.json()
    assert set(made) == {"id", "email", "role", "status", "expires_at"}
    assert (made["email"], made["role"], made["status"]) == (GRACE, "admin", "invited")
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=6.99) < left <= timedelta(days=7)
    [mail] = house.mailbox.mails
    token = house.mailbox.token(GRACE)
    link = f"http://localhost:8000/auth/invitation?token={token}"
    assert (mail.to, link in mail.text, f'href="{link}"' in mail.html) == (GRACE, True, True)
    assert len(token) >= 43
    assert "Birders" in mail.subject
    rows = await house.knowledge.database.read(everything)
    assert token not in rows
    assert hashlib.sha256(token.encode()).hexdigest() in rows


async def test_pending_invitations_are_listed(house: House, owner: Resident) -> None:
    """Those that can be accepted, oldest first, in pages, without anything that opens them."""
    made = [await invite(owner, f"{name}@example.com") for name in "abc"]
    first = await owner.get("invitations?limit=2")
    second = await owner.get(f"invitations?cursor={first['next_cursor']}")
    listed = first["invitations"] + second["invitations"]
    assert [one["id"] for one in listed] == [one["id"] for one in made]
    assert second["next_cursor"] is None
    assert {key: listed[0][key] for key in made[0]} == made[0]
    assert listed[0]["invited_by"] == owner.id
    assert (await owner.get(""))["member_count"] == 1


async def test_who_is_invited_joins(house: House, owner: Resident) -> None:
    """Accepting answers the membership, which counts at the next request; the invitation is gone."""
    await invite(owner, role="admin")
    grace = await newcomer(house, "Grace@example.com")
    response = await grace.call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert response.status_code == 200
    member = response.json()
    assert (member["user_id"], member["role"], member["email"]) == (grace.id, "admin", "Grace@example.com")
    assert (await grace.get("members"))["members"][-1] == member
    assert (await owner.get("invitations"))["invitations"] == []
    assert (await owner.get(""))["member_count"] == 2
    again = await grace.call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert refusal(again) == DEAD


async def test_who_belongs_to_nothing_any_more_can_join_again(house: House, owner: Resident) -> None:
    """Somebody without any organization accepts an invitation all the same."""
    grace = await house.member("member", GRACE)
    await owner.call("DELETE", f"members/{grace.id}")
    assert refusal(await grace.call("GET", "/api/documents")) == FORBIDDEN
    await invite(owner)
    assert (await grace.call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})).status_code == 200
    assert (await grace.call("GET", "/api/documents")).status_code == 200


async def test_a_pending_invitation_alone_moves_nobody(house: House, owner: Resident) -> None:
    """Without the token of its mail the invitation does nothing for who has the address."""
    await invite(owner)
    assert refusal(await (await newcomer(house)).call("GET", "")) == FORBIDDEN


async def test_somebody_else_is_refused_and_it_stays_good(house: House, owner: Resident) -> None:
    """The token is worth nothing to another address, and is not used up by the attempt."""
    await invite(owner)
    token = house.mailbox.token(GRACE)
    for email in ("eve@example.com", "grace@example.com.example.org", ""):
        assert refusal(await (await newcomer(house, email)).call("POST", ACCEPT, {"token": token})) == FORBIDDEN
    assert (await (await newcomer(house)).call("POST", ACCEPT, {"token": token})).status_code == 200


async def test_a_dead_invitation_is_not_found(house: House, owner: Resident) -> None:
    """Revoked, replaced, expired or never sent: 404 for everybody, even for another address."""
    made = await invite(owner)
    replaced = house.mailbox.token(GRACE)
    await invite(owner)
    revoked = house.mailbox.token(GRACE)
    grace, eve = await newcomer(house), await newcomer(house, "eve@example.com")
    assert refusal(await grace.call("POST", ACCEPT, {"token": replaced})) == DEAD
    assert (await owner.call("DELETE", f"invitations/{made['id']}")).status_code == 204
    await invite(owner)
    await house.knowledge.database.write(expire)
    for token in (revoked, house.mailbox.token(GRACE), "nonsense", "ü"):
        for asking in (grace, eve):
            assert refusal(await asking.call("POST", ACCEPT, {"token": token})) == DEAD


async def test_an_expired_invitation_is_made_anew(house: House, owner: Resident) -> None:
    """It is no longer listed or revoked, and inviting again makes another one."""
    first = await invite(owner)
    await house.knowledge.database.write(expire)
    assert (await owner.get("invitations"))["invitations"] == []
    assert refusal(await owner.call("DELETE", f"invitations/{first['id']}")) == DEAD
    response = await owner.call("POST", "members", {"email": GRACE, "role": "member"})
    assert response.status_code == 201
    assert response.json()["id"] != first["id"]


async def test_inviting_again_replaces_the_role(house: House, owner: Resident) -> None:
    """It stays one invitation, whose mail is sent again and whose role is the newest."""
    first = await invite(owner, role="member")
    again = await owner.call("POST", "members", {"email": "GRACE@example.com", "role": "admin"})
    assert again.status_code == 200
    assert (again.json()["id"], again.json()["role"]) == (first["id"], "admin")
    assert len((await owner.get("invitations"))["invitations"]) == 1
    assert [mail.to for mail in house.mailbox.mails] == [GRACE, GRACE]
    accepted = await (await newcomer(house)).call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert accepted.json()["role"] == "admin"


async def test_members_are_not_invited(house: House, owner: Resident) -> None:
    """Whoever has an address that belongs to a member is one already, however it is spelt."""
    await house.member("member", "Ada@example.com")
    refused = await owner.call("POST", "members", {"email": "aDA@example.com", "role": "admin"})
    assert refusal(refused) == (409, "MEMBER_EXISTS")
    assert house.mailbox.mails == []


async def test_roles_are_given_by_their_like(house: House, owner: Resident) -> None:
    """An owner invites anybody, an admin no owner, a member nobody; keys are like who made them."""
    admin, member = await house.member("admin"), await house.member("member")
    key = await house.with_key((await admin.call("POST", "api-keys", {"name": "a"})).json()["key"])
    assert (await invite(owner, "a@example.com", "owner"))["role"] == "owner"
    assert (await invite(admin, "b@example.com", "admin"))["role"] == "admin"
    assert refusal(await admin.call("POST", "members", {"email": "c@example.com", "role": "owner"})) == FORBIDDEN
    refused = await key.post(f"{house.url}/members", json={"email": "c@example.com", "role": "owner"})
    assert refusal(refused) == FORBIDDEN
    assert refusal(await member.call("POST", "members", {"email": "c@example.com", "role": "member"})) == FORBIDDEN
    by_key = await key.post(f"{house.url}/members", json={"email": "d@example.com", "role": "member"})
    assert by_key.status_code == 201
    assert (await owner.get("invitations"))["invitations"][-1]["invited_by"] == admin.id


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": GRACE},
        {"role": "member"},
        {"email": "", "role": "member"},
        {"email": "grace", "role": "member"},
        {"email": "grace@", "role": "member"},
        {"email": "a@b@c.example", "role": "member"},
        {"email": "grace@example.com\nBcc: eve@example.com", "role": "member"},
        {"email": "gräce@example.com", "role": "member"},
        {"email": "x" * 250 + "@example.com", "role": "member"},
        {"email": "=?utf-8?q??=@example.com", "role": "member"},
        {"email": [GRACE], "role": "member"},
        {"email": GRACE, "role": "guest"},
        {"email": GRACE, "role": None},
    ],
)
async def test_invitations_that_cannot_be(house: House, owner: Resident, body: object) -> None:
    """What no mail can be sent to and what is no role is 400, and nothing is sent."""
    assert refusal(await owner.call("POST", "members", body)) == (400, "INVALID_REQUEST")
    assert house.mailbox.mails == []


@pytest.mark.parametrize("body", [{}, {"token": None}, {"token": ""}, {"token": 5}, {"token": "x" * 1001}])
async def test_tokens_that_cannot_be(owner: Resident, body: object) -> None:
    """A token is a text of reasonable length."""
    assert refusal(await owner.call("POST", ACCEPT, body)) == (400, "INVALID_REQUEST")


async def test_an_api_key_accepts_nothing(house: House, owner: Resident) -> None:
    """Only a person can, whatever the token; nobody hears 401 first."""
    key = await house.with_key((await owner.call("POST", "api-keys", {"name": "a"})).json()["key"])
    assert refusal(await key.post(ACCEPT, json={})) == FORBIDDEN
    assert (await key.post(ACCEPT, json={}, headers={"X-API-Key": "kb_x"})).status_code == 401


async def test_accepted_twice_at_once(house: House, owner: Resident) -> None:
    """Of many acceptances at the same moment one counts, and there is one membership."""
    await invite(owner)
    grace, token = await newcomer(house), house.mailbox.token(GRACE)
    answers = await asyncio.gather(*(grace.call("POST", ACCEPT, {"token": token}) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
    assert [one["user_id"] for one in (await owner.get("members"))["members"]] == [owner.id, grace.id]
    assert len([action for action in await actions(house) if action == "invitation_accepted"]) == 1


async def test_revoked_and_accepted_at_once(house: House, owner: Resident) -> None:
    """Either the revocation counts or the acceptance, never both and never neither."""
    for number in range(5):
        address = f"grace{number}@example.com"
        made, grace = await invite(owner, address), await newcomer(house, address)
        accepted, revoked = await asyncio.gather(
            grace.call("POST", ACCEPT, {"token": house.mailbox.token(address)}),
            owner.call("DELETE", f"invitations/{made['id']}"),
        )
        assert (accepted.status_code, revoked.status_code) in ((200, 404), (404, 204))


async def test_invited_at_once(house: House, owner: Resident) -> None:
    """Of invitations of one address at the same moment one is made and the others repeat it."""
    sending = (owner.call("POST", "members", {"email": GRACE, "role": "member"}) for _ in range(4))
    answers = await asyncio.gather(*sending)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_who_is_a_member_by_now_keeps_their_role(house: House, owner: Resident) -> None:
    """An invitation that was overtaken by another way in is used up and changes nothing."""
    await invite(owner, role="admin")
    grace = await house.member("member", GRACE)
    response = await grace.call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert (response.status_code, response.json()["role"]) == (200, "member")
    assert (await owner.get("invitations"))["invitations"] == []


@pytest.mark.parametrize("invitation_id", ["01890a5d-ac96-774b-bcce-b302099a8057", "nonsense"])
async def test_unknown_invitations(owner: Resident, invitation_id: str) -> None:
    """What was never sent cannot be revoked."""
    assert refusal(await owner.call("DELETE", f"invitations/{invitation_id}")) == DEAD


async def test_the_mail_server_may_be_down(house: House, owner: Resident, caplog: pytest.LogCaptureFixture) -> None:
    """The invitation stands, the log tells that its mail was not sent, and inviting again sends it."""
    caplog.set_level(logging.WARNING, "app.invitations.endpoints")
    house.mailbox.down = True
    made = await invite(owner)
    assert made["id"] in caplog.text
    assert GRACE not in caplog.text
    house.mailbox.down = False
    assert (await invite(owner))["id"] == made["id"]
    accepted = await (await newcomer(house)).call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert accepted.status_code == 200


async def test_names_do_no_harm_in_mails(house: House, owner: Resident) -> None:
    """An organization's name is text in the mail; line breaks and signs that nobody sees are in no name."""
    for name in ("A\r\nBcc: eve@example.com", "A\x07", "A\u202eB"):
        assert refusal(await owner.call("PATCH", "settings", {"name": name})) == (400, "INVALID_REQUEST")
    assert (await owner.call("PATCH", "settings", {"name": "A <b>& Sons"})).status_code == 200
    await invite(owner)
    [mail] = house.mailbox.mails
    assert mail.subject == "Invitation to A <b>& Sons"
    assert "A &lt;b&gt;&amp; Sons" in mail.html


@pytest.mark.parametrize("act", ["removed", "demoted"])
async def test_who_is_gone_does_not_come_back_by_their_own_invitation(house: House, owner: Resident, act: str) -> None:
    """Invitations that somebody sent and may no longer give end with their role."""
    admin = await house.member("admin")
    assert (await admin.call("POST", "members", {"email": GRACE, "role": "admin"})).status_code == 201
    token = house.mailbox.token(GRACE)
    if act == "removed":
        assert (await owner.call("DELETE", f"members/{admin.id}")).status_code == 204
    else:
        assert (await owner.call("PATCH", f"members/{admin.id}", {"role": "member"})).status_code == 200
    accepted = await (await newcomer(house)).call("POST", ACCEPT, {"token": token})
    assert accepted.status_code == 404


async def test_what_was_done_is_audited(house: House, owner: Resident) -> None:
    """Every act leaves its record, and no record a token."""
    first = await invite(owner)
    await invite(owner)
    await owner.call("DELETE", f"invitations/{first['id']}")
    await invite(owner)
    await (await newcomer(house)).call("POST", ACCEPT, {"token": house.mailbox.token(GRACE)})
    assert [action for action in await actions(house) if "key" not in action] == [
        "member_invited",
        "member_invited_again",
        "invitation_revoked",
        "member_invited",
        "invitation_accepted",
    ]
    assert house.mailbox.token(GRACE) not in str(await house.knowledge.database.read(records))


async def test_acceptance_says_what_is_wrong(house: House, owner: Resident) -> None:
    """The statement itself tells a dead invitation from one for somebody else."""
    await invite(owner)
    digest, now = hashlib.sha256(house.mailbox.token(GRACE).encode()).hexdigest(), datetime.now(UTC)
    database, user_id = house.knowledge.database, owner.somebody.id
    with pytest.raises(acceptance.NotInvited):
        await database.write(acceptance.accept, digest, user_id, owner.email, now)
    for token_hash, moment in (("0" * 64, now), (digest, now + timedelta(days=8))):
        with pytest.raises(acceptance.InvitationNotFound):
            await database.write(acceptance.accept, token_hash, user_id, GRACE, moment)


def everything(connection: Connection) -> str:
    return str(connection.execute(select(invitations)).all())


def records(connection: Connection) -> list[tuple[str, str]]:
    return [(row.action, str(row)) for row in connection.execute(select(audit).order_by(audit.c.id))]


async def actions(house: House) -> list[str]:
    return [action for action, _ in await house.knowledge.database.read(records)]


def expire(connection: Connection) -> None:
    connection.execute(update(invitations).values(expires_at=datetime.now(UTC)))

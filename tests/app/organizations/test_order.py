"""The order of the checks: size and media type, credentials, role, limits, body, existence, conflict."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.config import Settings
from app.identifiers import new_id
from app.middleware import LARGEST_BODY
from app.plans import PER_EMAIL, PLANS
from tests.app.organizations.conftest import House, Resident, refusal

ADDRESSES = [
    ("POST", "members"),
    ("PATCH", "members/01890a5d-ac96-774b-bcce-b302099a8057"),
    ("PATCH", "settings"),
    ("POST", "api-keys"),
]
TEXT = {"Content-Type": "text/plain"}
JSON = {"Content-Type": "application/json"}
BURST = PLANS["free"].requests.burst


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, limits="on", _env_file=None)


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_what_is_wrong_is_told_in_order(house: House, owner: Resident, method: str, path: str) -> None:
    """Each request is wrong in every way from its own on, and hears the first."""
    address, nobody, member = f"{house.url}/{path}", await house.with_key(None), await house.member("member")
    for client in (nobody, member.http, owner.http):
        assert (await client.request(method, address, content=b"{", headers=TEXT)).status_code == 415
        large = await client.request(method, address, content=b"{", headers={"Content-Length": str(LARGEST_BODY + 1)})
        assert large.status_code == 413
    assert (await nobody.request(method, address, content=b"{", headers=JSON)).status_code == 401
    assert (await member.http.request(method, address, content=b"{", headers=JSON)).status_code == 403
    for _ in range(BURST):
        response = await owner.http.request(method, address, content=b"{", headers=JSON)
        assert refusal(response) == (400, "MALFORMED_JSON")
        assert response.headers["x-ratelimit-limit"] == str(BURST)
    refused = await owner.http.request(method, address, content=b"{", headers=JSON)
    assert refusal(refused) == (429, "RATE_LIMITED")
    assert refused.json()["retry_after"] == int(refused.headers["retry-after"]) >= 1
    assert (await member.http.request(method, address, content=b"{", headers=JSON)).status_code == 403


async def test_roles_then_existence_then_conflict(house: House, owner: Resident) -> None:
    """Who may not make an owner hears so before the member is looked for; the last owner's own role comes last."""
    admin = await house.member("admin")
    unknown = f"members/{new_id()}"
    assert refusal(await admin.call("PATCH", unknown, {"role": "owner"})) == (403, "FORBIDDEN")
    assert refusal(await admin.call("PATCH", unknown, {"role": "admin"})) == (404, "MEMBER_NOT_FOUND")
    assert refusal(await admin.call("PATCH", f"members/{owner.id}", {"role": "admin"})) == (403, "FORBIDDEN")
    assert refusal(await owner.call("PATCH", f"members/{owner.id}", {"role": "admin"})) == (409, "LAST_OWNER")


async def test_one_address_gets_so_many_mails(house: House, owner: Resident) -> None:
    """Inviting the same address again and again ends at the limit for mails to it; others can be invited."""
    for number in range(PER_EMAIL.burst):
        answer = await owner.call("POST", "members", {"email": "grace@example.com", "role": "member"})
        assert answer.status_code == (200 if number else 201)
    again = await owner.call("POST", "members", {"email": "Grace@example.com", "role": "member"})
    assert refusal(again) == (429, "RATE_LIMITED")
    assert len(house.mailbox.mails) == PER_EMAIL.burst
    other = await owner.call("POST", "members", {"email": "ada@example.com", "role": "member"})
    assert other.status_code == 201


async def test_usage_counts_its_own_request(owner: Resident) -> None:
    """What is left is told after what this request cost."""
    assert (await owner.get("usage"))["requests"]["remaining"] == BURST - 1

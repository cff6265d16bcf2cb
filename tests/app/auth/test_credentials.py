"""Credentials of a request: which header counts, and what they open."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.api_keys.service import create_key
from app.organizations.service import Organization, create_organization
from tests.app.accounts.conftest import Build, build, openid, provider  # noqa: F401 - fixtures
from tests.app.accounts.house import PASSWORD, House, Json, good, new_address, refused

DOCUMENTS, UNAUTHORIZED = "/api/documents", (401, "UNAUTHORIZED")


@pytest.fixture
async def house(build: Build) -> AsyncIterator[House]:  # noqa: F811
    async with build() as house:
        yield house


@pytest.fixture
async def session(house: House) -> Json:
    return await house.person()


@pytest.fixture
async def organization(house: House) -> Organization:
    return await create_organization(house.database, "Birders")


@pytest.fixture
async def key(organization: Organization, house: House) -> str:
    _, secret = await create_key(house.database, organization.id, "tests")
    return secret


async def ask(house: House, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await house.http.get(DOCUMENTS, headers=named)


async def test_the_ways_to_show_credentials(house: House, session: Json, key: str) -> None:
    """A token and a key as bearer, a key in a header of its own; the scheme is written in any case."""
    token = session["access_token"]
    for authorization in (f"Bearer {token}", f"bearer {token}", f"BEARER  {token} ", f"Bearer {key}"):
        good(await ask(house, Authorization=authorization))
    good(await ask(house, X_API_Key=key))


async def test_a_key_decides(house: House, session: Json, key: str, organization: Organization) -> None:
    """When both headers come, the key counts; a bad one is not made up for by a good token."""
    bearer = f"Bearer {session['access_token']}"
    me = await house.http.get("/api/auth/me", headers={"Authorization": bearer, "X-API-Key": key})
    assert good(me) == {
        "user": None,
        "organization": {"id": str(organization.id), "name": "Birders"},
        "role": "owner",
        "credential": "api_key",
    }
    for wrong in ("", "nonsense", "kb_nonsense", session["access_token"]):
        assert refused(await ask(house, Authorization=bearer, X_API_Key=wrong)) == UNAUTHORIZED


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Basic YTpi", "Token x", "Bearer a b", "Bearer kb_x", "nonsense"]
)
async def test_what_are_no_credentials(house: House, authorization: str) -> None:
    """It is 401, and the answer names the scheme."""
    answer = await ask(house, Authorization=authorization)
    assert refused(answer) == UNAUTHORIZED
    assert answer.headers["www-authenticate"] == "Bearer"
    assert refused(await ask(house)) == UNAUTHORIZED


async def test_an_organization_of_others(house: House, session: Json, key: str, organization: Organization) -> None:
    """Whether it exists or not, and whether it is named by an id or not, it is 403; one's own is good."""
    token, own = f"Bearer {session['access_token']}", session["user"]["organization_id"]
    good(await ask(house, Authorization=token, X_Organization_Id=own))
    good(await ask(house, X_API_Key=key, X_Organization_Id=str(organization.id)))
    missing = "01942f6d-5c10-7f9d-a1d4-90b7c2e8f635"
    for wrong in (str(organization.id), missing, "nonsense", ""):
        answer = await ask(house, Authorization=token, X_Organization_Id=wrong)
        assert refused(answer) == (403, "FORBIDDEN")
    for wrong in (own, missing, "nonsense", ""):
        assert refused(await ask(house, X_API_Key=key, X_Organization_Id=wrong)) == (403, "FORBIDDEN")


async def test_what_only_a_person_can_do(house: House, key: str) -> None:
    """Logging out and changing a password are 403 for a key."""
    for headers in ({"X-API-Key": key}, {"Authorization": f"Bearer {key}"}):
        assert refused(await house.http.post("/api/auth/logout", headers=headers)) == (403, "FORBIDDEN")
        body = {"password": PASSWORD}
        changed = await house.http.post("/api/auth/password/update", json=body, headers=headers)
        assert refused(changed) == (403, "FORBIDDEN")


async def test_an_ended_session_opens_nothing(house: House) -> None:
    """22: neither documents nor anything else."""
    session = await house.person(new_address())
    bearer = {"Authorization": f"Bearer {session['access_token']}"}
    good(await ask(house, **bearer))
    assert (await house.post("/logout", token=session["access_token"])).status_code == 204
    assert refused(await ask(house, **bearer)) == UNAUTHORIZED
    assert refused(await house.http.post("/api/ai/query", json={"question": "?"}, headers=bearer)) == UNAUTHORIZED

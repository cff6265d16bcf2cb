"""The table of roles and operations, held against every route and every kind of caller."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import iter_route_contexts

from app.auth.credentials import authenticate, authenticate_person
from app.auth.routes import OPEN, Credentials, check_routes, operation_of
from app.config import Settings
from app.identifiers import new_id
from app.main import create_app
from app.roles import PERMITTED, Operation
from tests.app.organizations.conftest import House

CALLERS = ("owner", "admin", "member", "key of an owner", "key of an admin", "nobody", "stranger")
BEYOND_THE_ROUTES = {Operation.EDIT_OWNERS, Operation.LEAVE}
"""What depends on whom it befalls; test_members has it."""


def guarded() -> Iterator[tuple[Operation, str, str]]:
    """Every operation with the method and path of a route that asks for it."""
    for route in iter_route_contexts(create_app(Settings(_env_file=None)).routes):
        if operation := operation_of(route):
            for method in route.methods or ():
                yield operation, method, route.path or ""


ROUTES = list(guarded())


@pytest.mark.parametrize("operation", [one for one in Operation if one not in BEYOND_THE_ROUTES])
@pytest.mark.parametrize("caller", CALLERS)
async def test_who_may_call_what(house: House, caller: str, operation: Operation) -> None:
    """Every route of an operation lets in whom the table permits, and refuses all others, before anything else."""
    routes = [(method, path) for one, method, path in ROUTES if one is operation]
    assert routes
    client = await calling_as(house, caller)
    for method, path in routes:
        address = re.sub(r"\{\w+\}", str(new_id()), path.replace("{organization_id}", str(house.organization.id)))
        status = (await client.request(method, address, json={})).status_code
        assert status in expected(caller, operation), (method, path, status)


def may(caller: str, operation: Operation) -> bool:
    return caller.rpartition(" ")[2] in PERMITTED[operation]


def expected(caller: str, operation: Operation) -> tuple[int, ...]:
    """Who is let in gets as far as an empty body and an id that nothing has."""
    if caller == "nobody":
        return (401,)
    return (200, 400, 404) if may(caller, operation) else (403,)


async def calling_as(house: House, caller: str) -> httpx.AsyncClient:
    """Strangers name the organization that they do not belong to."""
    if caller == "nobody":
        return await house.with_key(None)
    if caller == "stranger":
        stranger = await house.client(house.people.somebody())
        stranger.http.headers["X-Organization-Id"] = str(house.organization.id)
        return stranger.http
    member = await house.member(caller.rpartition(" ")[2])
    if not caller.startswith("key"):
        return member.http
    return await house.with_key((await member.call("POST", "api-keys", {"name": "a"})).json()["key"])


def test_every_operation_has_a_route() -> None:
    """The table permits nothing that cannot be asked for."""
    assert {operation for operation, _, _ in ROUTES} == set(Operation) - BEYOND_THE_ROUTES


# --- what routes declare


async def nothing() -> None: ...


async def own_way() -> None: ...


own_way.credentials = Credentials.ANY  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("path", "dependencies"),
    [
        ("/api/things", []),
        ("/api", []),
        ("/api/things", [OPEN, Depends(authenticate)]),
        ("/api/things", [Depends(authenticate), Depends(authenticate_person)]),
    ],
)
def test_a_route_that_does_not_say_who_may_call_it_is_refused(path: str, dependencies: list[object]) -> None:
    """Neither credentials nor OPEN, or both: the service does not start with it."""
    app = FastAPI()
    router = APIRouter(dependencies=dependencies)  # type: ignore[arg-type]
    router.add_api_route(path, nothing)
    app.include_router(router)
    with pytest.raises(RuntimeError, match=path):
        check_routes(app)


@pytest.mark.parametrize(
    ("path", "dependencies"),
    [
        ("/healthz", []),
        ("/apiary", []),
        ("/api/things", [OPEN]),
        ("/api/things", [Depends(authenticate)]),
        ("/api/things", [Depends(authenticate_person)]),
        ("/api/things", [Depends(own_way)]),
    ],
)
def test_a_route_that_says_who_may_call_it_is_accepted(path: str, dependencies: list[object]) -> None:
    """One declaration is enough; outside /api none is needed."""
    app = FastAPI()
    app.add_api_route(path, nothing, dependencies=dependencies)  # type: ignore[arg-type]
    check_routes(app)


async def test_the_description_says_who_may_call(anonymous: httpx.AsyncClient) -> None:
    """Each operation names its roles and its credentials, from what is checked."""
    paths = (await anonymous.get("/openapi.json")).json()["paths"]
    both, person = [{"ApiKey": []}, {"Bearer": []}], [{"Bearer": []}]
    assert paths["/api/documents"]["post"]["security"] == both
    assert paths["/api/documents"]["post"]["description"].endswith("Roles: owner, admin.")
    assert paths["/api/ai/query"]["post"]["description"].endswith("Roles: owner, admin, member.")
    assert paths["/api/invitations/accept"]["post"]["security"] == person
    assert paths["/healthz"]["get"]["security"] == []
    parameters = paths["/api/organizations/{organization_id}/members"]["get"]["parameters"]
    assert [one["name"] for one in parameters] == ["organization_id", "limit", "cursor"]

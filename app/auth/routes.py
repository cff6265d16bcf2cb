"""Which credentials each route asks for: declared on the route, checked at the start, told by the description."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.routing import iter_route_contexts

from app.auth.credentials import authenticate, authenticate_person
from app.limits.limiter import Kind
from app.roles import Operation

GUARDED = "/api"


class Credentials(Enum):
    """What a route asks of who calls it."""

    ANY = "an access token or an API key"
    PERSON = "an access token"
    NONE = "nothing"


async def open_to_all() -> None:
    """Says of a route that it is called without credentials, and that this is meant."""


OPEN = Depends(open_to_all)
MARKS = {authenticate: Credentials.ANY, authenticate_person: Credentials.PERSON, open_to_all: Credentials.NONE}
"""A dependency that authenticates in a way of its own says so by an attribute `credentials`."""


def check_routes(app: FastAPI) -> None:
    """Raises RuntimeError for a route below /api that says nothing about credentials, or two things at once."""
    for route in iter_route_contexts(app.routes):
        path = route.path or ""
        if path != GUARDED and not path.startswith(f"{GUARDED}/"):
            continue
        declared = declared_by(route)
        if len(declared) != 1:
            told = " and ".join(sorted(one.value for one in declared)) or "no credentials, and is not OPEN"
            raise RuntimeError(f"{sorted(route.methods or [])} {path} declares {told}")


def declared_by(route: Any) -> set[Credentials]:
    said = (MARKS.get(call) or getattr(call, "credentials", None) for call in _dependencies(route))
    return {one for one in said if one is not None}


def operation_of(route: Any) -> Operation | None:
    """What a caller has to be permitted."""
    return next((call.operation for call in _dependencies(route) if hasattr(call, "operation")), None)


def limit_of(route: Any) -> Kind | None:
    """What a caller's request is counted as."""
    return next((call.limit for call in _dependencies(route) if hasattr(call, "limit")), None)


def _dependencies(route: Any) -> Iterator[Any]:
    """All that run before the route, those of dependencies included."""
    left = [getattr(route, "dependant", None)]
    while left:
        dependant = left.pop(0)
        for one in dependant.dependencies if dependant else ():
            yield one.call
            left.append(one)

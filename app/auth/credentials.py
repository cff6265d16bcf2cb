"""From a request's headers to its principal."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.api_keys.secret import MARK
from app.context import context_of
from app.errors import Forbidden, Unauthorized
from app.principal import Principal
from app.state import state_of


async def authenticate(request: Request) -> Principal:
    """X-API-Key decides over Authorization; a bearer may be a key, too."""
    credential = _credential(request)
    principal = await _by_key(request, credential) if credential else None
    if principal is None:
        raise Unauthorized
    context_of(request.scope).organization_id = principal.organization_id
    return principal


def _credential(request: Request) -> str | None:
    if (key := request.headers.get("x-api-key")) is not None:
        return key if key.startswith(MARK) else None
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def _by_key(request: Request, secret: str) -> Principal | None:
    key = await state_of(request)["keys"].find(secret)
    return Principal(key.organization_id, key.role, "api_key") if key else None


Caller = Annotated[Principal, Depends(authenticate)]


async def may_edit(caller: Caller) -> None:
    """Refuses who may only read."""
    if not caller.may_edit:
        raise Forbidden("Only owners and admins may change documents.")

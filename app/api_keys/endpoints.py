"""/api/organizations/{organization_id}/api-keys."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from app.api_keys import service
from app.api_keys.schemas import CreateKey, created, listed
from app.auth.credentials import Caller
from app.bodies import body
from app.identifiers import read_id
from app.openapi import request_body
from app.organizations import described
from app.organizations.routing import Cursor, Limit, allowing, organization_router
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge, state_of

router = organization_router("API keys")


@router.get("/api-keys", dependencies=allowing(Operation.MANAGE_KEYS), responses=described.KEYS_RESPONSES)
async def list_keys(caller: Caller, knowledge: Knowledge, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the API keys, oldest first, without their secrets."""
    found = await knowledge.database.read(service.page_of_keys, caller.organization_id, limit, cursor)
    return json_response(found.as_json("api_keys", listed))


@router.post(
    "/api-keys",
    dependencies=allowing(Operation.MANAGE_KEYS),
    openapi_extra=request_body(CreateKey),
    status_code=201,
    responses=described.CREATE_KEY_RESPONSES,
)
async def create_key(
    caller: Caller, knowledge: Knowledge, given: Annotated[CreateKey, Depends(body(CreateKey))]
) -> Response:
    """Create an API key, which may do what its creator may. Its secret is shown only now."""
    key, secret = await knowledge.database.write(service.issue, caller, given.name, given.expires_at)
    return json_response(created(key, secret), 201, {"Cache-Control": "no-store"})


@router.delete(
    "/api-keys/{key_id}",
    dependencies=allowing(Operation.MANAGE_KEYS),
    status_code=204,
    responses=described.DELETE_KEY_RESPONSES,
)
async def delete_key(key_id: str, request: Request, caller: Caller, knowledge: Knowledge) -> Response:
    """Delete an API key: it opens nothing any more."""
    await knowledge.database.write(service.delete_key, caller, read_id(key_id))
    state_of(request)["keys"].forget()
    return Response(status_code=204)

"""/api/organizations/{organization_id}: what it is, what it set, what it used."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from app.auth.credentials import Caller
from app.bodies import body
from app.limits.dependencies import limits_of
from app.openapi import request_body
from app.organizations import changes, described
from app.organizations.routing import allowing, organization_router
from app.organizations.schemas import ChangeSettings, settings, shown
from app.organizations.service import get_organization
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge, state_of

router = organization_router("Organizations")


@router.get("", dependencies=allowing(Operation.READ_ORGANIZATION), responses=described.ORGANIZATION_RESPONSES)
async def get(caller: Caller, knowledge: Knowledge) -> Response:
    """Get the organization; invitations do not count as members."""
    return json_response(shown(*await knowledge.database.read(changes.with_members, caller.organization_id)))


@router.get("/settings", dependencies=allowing(Operation.READ_ORGANIZATION), responses=described.SETTINGS_RESPONSES)
async def get_settings(caller: Caller, knowledge: Knowledge) -> Response:
    """Get the organization's settings."""
    return json_response(settings(await get_organization(knowledge.database, caller.organization_id)))


@router.patch(
    "/settings",
    dependencies=allowing(Operation.EDIT_SETTINGS),
    openapi_extra=request_body(ChangeSettings),
    responses=described.SETTINGS_RESPONSES,
)
async def change_settings(
    request: Request,
    caller: Caller,
    knowledge: Knowledge,
    given: Annotated[ChangeSettings, Depends(body(ChangeSettings))],
) -> Response:
    """Change the name, or some feature flags; `api_access: false` turns the organization's API keys off."""
    changed = await knowledge.database.write(changes.change_settings, caller, given.name, given.features)
    state_of(request)["organizations"].forget(changed.id)
    return json_response(settings(changed))


@router.get("/usage", dependencies=allowing(Operation.READ_ORGANIZATION), responses=described.USAGE_RESPONSES)
async def usage(request: Request, caller: Caller) -> Response:
    """Get the plan, its limits, and what is left of them this minute and this month."""
    return json_response(await limits_of(request).usage(caller.organization_id))

"""/api/organizations/{organization_id}/members: who belongs to it, and as what."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from app.auth.credentials import Caller
from app.bodies import body
from app.identifiers import read_id
from app.limits.dependencies import LIMITED
from app.members import service
from app.members.authority import require
from app.members.schemas import ChangeRole, shown
from app.openapi import request_body
from app.organizations import described
from app.organizations.routing import Cursor, Limit, allowing, organization_router
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge

router = organization_router("Members")


async def _removing(request: Request, caller: Caller) -> None:
    """Everybody may remove themselves."""
    whom = read_id(request.path_params["user_id"])
    require(caller, Operation.LEAVE if whom and whom == caller.user_id else Operation.EDIT_MEMBERS)


_removing.operation = Operation.EDIT_MEMBERS  # type: ignore[attr-defined]


@router.get("/members", dependencies=allowing(Operation.READ_MEMBERS), responses=described.MEMBERS_RESPONSES)
async def list_members(caller: Caller, knowledge: Knowledge, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the members in the order of their joining."""
    found = await knowledge.database.read(service.list_members, caller.organization_id, limit, cursor)
    return json_response(found.as_json("members", shown))


@router.patch(
    "/members/{user_id}",
    dependencies=allowing(Operation.EDIT_MEMBERS),
    openapi_extra=request_body(ChangeRole),
    responses=described.CHANGE_ROLE_RESPONSES,
)
async def change_role(
    user_id: str, caller: Caller, knowledge: Knowledge, given: Annotated[ChangeRole, Depends(body(ChangeRole))]
) -> Response:
    """Change a member's role. Only an owner makes an owner or takes the role from one."""
    member = await knowledge.database.write(service.change_role, caller, read_id(user_id), given.role)
    return json_response(shown(member))


@router.delete(
    "/members/{user_id}",
    dependencies=[Depends(_removing), LIMITED],
    status_code=204,
    responses=described.REMOVE_MEMBER_RESPONSES,
)
async def remove(user_id: str, caller: Caller, knowledge: Knowledge) -> Response:
    """Remove a member. Only an owner removes an owner; everybody may remove themselves."""
    await knowledge.database.write(service.remove, caller, read_id(user_id))
    return Response(status_code=204)

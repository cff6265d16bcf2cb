"""Invitations below an organization, and /api/invitations/accept."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.auth.credentials import Caller, Individual, authenticate_person
from app.auth.embedded.mail import MailNotSent
from app.bodies import body, json_media_type
from app.digests import digest
from app.identifiers import read_id
from app.invitations import service
from app.invitations.acceptance import accept as accept_invitation
from app.invitations.mail import letter
from app.invitations.schemas import AcceptInvitation, Invite, listed, shown
from app.invitations.service import LIFETIME, Invited
from app.limits.account import Purpose
from app.limits.dependencies import ADDRESS_LIMITED, Accounts
from app.members.schemas import shown as shown_member
from app.openapi import EVERYWHERE, request_body
from app.organizations import described
from app.organizations.routing import Cursor, Limit, allowing, organization_router
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge, State, state_of

logger = logging.getLogger(__name__)

router = organization_router("Invitations")
accepting = APIRouter(
    prefix="/api/invitations",
    tags=["Invitations"],
    dependencies=[Depends(json_media_type), Depends(authenticate_person), ADDRESS_LIMITED],
    responses=EVERYWHERE,
)


@router.post(
    "/members",
    dependencies=allowing(Operation.EDIT_MEMBERS),
    openapi_extra=request_body(Invite),
    status_code=201,
    responses=described.INVITE_RESPONSES,
)
async def invite(
    request: Request,
    caller: Caller,
    knowledge: Knowledge,
    accounts: Accounts,
    given: Annotated[Invite, Depends(body(Invite))],
) -> Response:
    """Invite somebody by mail. Only an owner invites an owner; invited again, the mail is sent again."""
    await accounts.admit_email(request, given.email, Purpose.MAIL)
    invited = await knowledge.database.write(service.invite, caller, given.email, given.role)
    await _send(state_of(request), invited)
    return json_response(shown(invited.invitation), 201 if invited.is_new else 200)


@router.get("/invitations", dependencies=allowing(Operation.EDIT_MEMBERS), responses=described.INVITATIONS_RESPONSES)
async def list_invitations(caller: Caller, knowledge: Knowledge, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the invitations that can be accepted still, oldest first."""
    found = await knowledge.database.read(service.list_invitations, caller.organization_id, limit, cursor)
    return json_response(found.as_json("invitations", listed))


@router.delete(
    "/invitations/{invitation_id}",
    dependencies=allowing(Operation.EDIT_MEMBERS),
    status_code=204,
    responses=described.REVOKE_RESPONSES,
)
async def revoke(invitation_id: str, caller: Caller, knowledge: Knowledge) -> Response:
    """Revoke an invitation: its mail leads nowhere any more."""
    await knowledge.database.write(service.revoke, caller, read_id(invitation_id))
    return Response(status_code=204)


@accepting.post("/accept", openapi_extra=request_body(AcceptInvitation), responses=described.ACCEPT_RESPONSES)
async def accept(
    person: Individual, knowledge: Knowledge, given: Annotated[AcceptInvitation, Depends(body(AcceptInvitation))]
) -> Response:
    """Accept an invitation that was sent to one's own address."""
    token_hash, now = digest(given.token), datetime.now(UTC)
    member = await knowledge.database.write(accept_invitation, token_hash, person.user_id, person.email, now)
    return json_response(shown_member(member))


async def _send(state: State, invited: Invited) -> None:
    """A mail server that is down does not undo the invitation: inviting again sends the mail again."""
    to, role = invited.invitation.email, invited.invitation.role
    mail = letter(state["settings"].public_url, to, invited.organization, role, invited.token, LIFETIME.days)
    try:
        await state["mailer"].send(mail)
    except MailNotSent:
        logger.warning("the mail of the invitation %s could not be sent", invited.invitation.id)

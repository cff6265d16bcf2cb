"""Invitations as they come over the wire and as they go back."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.addresses import Email
from app.invitations.repository import Invitation
from app.responses import timestamp
from app.roles import RoleName


class Invite(BaseModel):
    model_config = ConfigDict(
        strict=True, json_schema_extra={"example": {"email": "grace@example.com", "role": "member"}}
    )

    email: Email
    role: RoleName


class AcceptInvitation(BaseModel):
    """The token is in the link of the invitation's mail."""

    model_config = ConfigDict(
        strict=True, json_schema_extra={"example": {"token": "mJ0p5kXr2bq8n1tYw6cVdLs3eZfHuGaQi7oRxKv9TyE"}}
    )

    token: Annotated[str, Field(min_length=1, max_length=1000)]


def shown(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "email": invitation.email,
        "role": invitation.role,
        "status": "invited",
        "expires_at": timestamp(invitation.expires_at),
    }


def listed(invitation: Invitation) -> dict[str, Any]:
    return {
        **shown(invitation),
        "invited_by": invitation.invited_by,
        "created_at": timestamp(invitation.created_at),
    }

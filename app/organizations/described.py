"""What the addresses below an organization answer, for the description."""

from __future__ import annotations

from typing import Any

from app import schemas
from app.examples import MOMENT
from app.openapi import Responses, answers, refusals

SOMEBODY = "5f0c2b7e-64f0-4a53-9d1c-0c4f3f1f8a11"
LATER = "2026-11-28T05:31:00.123Z"
ORGANIZATION = {
    "id": "01942f6a-3c77-7d10-8a43-1d2e3f4a5b6c",
    "name": "Acme",
    "billing_tier": "pro",
    "member_count": 12,
    "created_at": MOMENT,
}
SETTINGS = {"name": "Acme", "features": {"api_access": True, "chat_integration": False}}
USAGE = {
    "plan": "pro",
    "requests": {"limit": 100, "burst": 200, "remaining": 187, "reset": 1795239068},
    "queries_minute": {"limit": 20, "remaining": 19, "reset": 1795239120},
    "queries_month": {"limit": 1000, "used": 312, "remaining": 688, "reset": 1796083200},
}
MEMBER = {"user_id": SOMEBODY, "email": "ada@example.com", "role": "admin", "joined_at": MOMENT}
INVITATION = {
    "id": "01942f6e-0f3a-7c55-b7a1-4e5d6c7b8a90",
    "email": "grace@example.com",
    "role": "member",
    "status": "invited",
    "expires_at": LATER,
}
KEY: dict[str, Any] = {
    "id": "01942f6e-55aa-7f01-9c3d-8b7a6c5d4e3f",
    "name": "wiki sync",
    "prefix": "kb_3xK9vQ1m",
    "created_at": MOMENT,
    "expires_at": None,
}
SECRET = {"key": "kb_3xK9vQ1mR7tB2nW8cY4dZ6fH0jL5pS1aGqEoUiXyTrNk1aB2cD"}
NO_MEMBER = {404: "There is no such member."}
LAST_OWNER = {409: "`LAST_OWNER`: somebody else has to be made an owner first."}
NO_INVITATION = {404: "There is no such invitation, or it is not good any more."}

ORGANIZATION_RESPONSES = answers(200, "The organization.", ORGANIZATION, schemas.Organization)
SETTINGS_RESPONSES = answers(200, "The settings as they are now.", SETTINGS, schemas.Settings)
USAGE_RESPONSES = answers(200, "Plan, limits and what is left; `reset` is in Unix seconds.", USAGE, schemas.Usage)
MEMBERS_RESPONSES = answers(200, "A page of members.", {"members": [MEMBER], "next_cursor": None}, schemas.MemberPage)
CHANGE_ROLE_RESPONSES = {
    **answers(200, "The member with their new role.", MEMBER, schemas.Member),
    **refusals(NO_MEMBER | LAST_OWNER),
}
REMOVE_MEMBER_RESPONSES: Responses = {204: {"description": "Removed."}, **refusals(NO_MEMBER | LAST_OWNER)}
INVITE_RESPONSES = {
    **answers(200, "Invited already: the mail is sent again, with the new role.", INVITATION, schemas.Invitation),
    **answers(201, "Invited; the invitation is good for seven days.", INVITATION, schemas.Invitation),
    **refusals({409: "`MEMBER_EXISTS`: somebody with this address is a member already."}),
}
INVITATIONS_RESPONSES = answers(
    200,
    "A page of invitations.",
    {"invitations": [INVITATION | {"invited_by": SOMEBODY, "created_at": MOMENT}], "next_cursor": None},
    schemas.InvitationPage,
)
REVOKE_RESPONSES: Responses = {204: {"description": "Revoked."}, **refusals(NO_INVITATION)}
ACCEPT_RESPONSES = {
    **answers(200, "The membership.", MEMBER, schemas.Member),
    **refusals({403: "The invitation is for another address; it stays good."} | NO_INVITATION),
}
KEYS_RESPONSES = answers(
    200,
    "A page of API keys.",
    {
        "api_keys": [KEY | {"role": "owner", "created_by": SOMEBODY, "last_used_at": MOMENT}],
        "next_cursor": None,
    },
    schemas.ApiKeyPage,
)
CREATE_KEY_RESPONSES = answers(201, "Created. `key` is shown only now.", KEY | SECRET, schemas.CreatedApiKey)
DELETE_KEY_RESPONSES: Responses = {
    204: {"description": "Deleted."},
    **refusals({404: "There is no such API key."}),
}

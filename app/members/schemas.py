"""Members as they come over the wire and as they go back."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from app.members.repository import Member
from app.responses import timestamp
from app.roles import RoleName


class ChangeRole(BaseModel):
    model_config = ConfigDict(strict=True, json_schema_extra={"example": {"role": "admin"}})

    role: RoleName


def shown(member: Member) -> dict[str, Any]:
    return {
        "user_id": member.user_id,
        "email": member.email,
        "role": member.role,
        "joined_at": timestamp(member.joined_at),
    }

"""Organizations and their settings as they come over the wire and as they go back."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from app.organizations.repository import Organization
from app.organizations.service import LONGEST_NAME, MOST_FEATURES, checked_name
from app.responses import timestamp

Name = Annotated[str, AfterValidator(checked_name), Field(json_schema_extra={"maxLength": LONGEST_NAME})]
Flag = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Features = Annotated[dict[Flag, bool], Field(max_length=MOST_FEATURES)]
ABSENT: Any = Field(default_factory=lambda: None)  # None by default, yet not accepted


class ChangeSettings(BaseModel):
    """What is absent stays as it is; `features` is merged flag by flag; other keys are ignored."""

    model_config = ConfigDict(
        strict=True,
        json_schema_extra={"example": {"name": "Acme", "features": {"api_access": True, "chat_integration": False}}},
    )

    name: Name = ABSENT
    features: Features = ABSENT


def shown(organization: Organization, members: int) -> dict[str, Any]:
    return {
        "id": organization.id,
        "name": organization.name,
        "billing_tier": organization.plan,
        "member_count": members,
        "created_at": timestamp(organization.created_at),
    }


def settings(organization: Organization) -> dict[str, Any]:
    return {"name": organization.name, "features": organization.features}

"""Bodies of the account endpoints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.accounts.refusals import LONGEST_PASSWORD, REASONS, SHORTEST_PASSWORD
from app.addresses import LABEL, LONGEST, Email
from app.organizations.service import checked_name

DOMAIN = re.compile(rf"{LABEL}(?:\.{LABEL})*")
LONGEST_SECRET = 4096
WEAK = "weak_password"


def _strong(password: str) -> str:
    size = len(password.encode())
    if len(password) < SHORTEST_PASSWORD or size > LONGEST_PASSWORD or not password.strip():
        raise PydanticCustomError(WEAK, REASONS["length"])
    return password


def _domain(text: str) -> str:
    text = text.strip().lower()
    if len(text) > LONGEST or not DOMAIN.fullmatch(text):
        raise ValueError("must be a domain")
    return text


Domain = Annotated[str, AfterValidator(_domain)]
NewPassword = Annotated[str, AfterValidator(_strong)]
OrganizationName = Annotated[str, AfterValidator(checked_name)]
Secret = Annotated[str, Field(min_length=1, max_length=LONGEST_SECRET)]


class Body(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=False)


class SignUp(Body):
    """`organizationName` is needed unless an invitation is accepted."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "email": "ada@example.com",
                "password": "correct horse",
                "organizationName": "Analytical Engines",
            }
        }
    )
    email: Email
    password: NewPassword
    organization_name: OrganizationName | None = Field(default=None, alias="organizationName")
    invitation_token: Secret | None = None

    @model_validator(mode="after")
    def _belongs_somewhere(self) -> Self:
        if self.organization_name is None and self.invitation_token is None:
            raise PydanticCustomError("missing", "organizationName is required")
        return self


class LogIn(Body):
    email: Email
    password: Secret


class AddressOnly(Body):
    email: Email


class Refresh(Body):
    refresh_token: Secret


class Verify(Body):
    token_hash: Secret
    type: Literal["signup", "invite", "email", "magiclink", "recovery"]


class ChangePassword(Body):
    password: NewPassword


class Exchange(Body):
    code: Secret


def weak_or_invalid(errors: Sequence[Any]) -> str:
    """WEAK_PASSWORD where the password's strength is all that is wrong."""
    return "WEAK_PASSWORD" if all(error["type"] == WEAK for error in errors) else "INVALID_REQUEST"

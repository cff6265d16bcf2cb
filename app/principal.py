"""On whose behalf a request is made, however it was authenticated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from app.roles import PERMITTED, Operation
from pipelines.types import Scope


@dataclass(frozen=True, slots=True)
class Person:
    """Who an access token was issued to.

    `organization_name` is what they wanted theirs to be called when they signed up: a label, never a right.
    `token` is the token itself, for what only the identity server can do.
    """

    user_id: UUID
    session_id: UUID
    email: str
    issued_at: datetime
    expires_at: datetime
    organization_name: str | None
    token: str


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller in one organization: a person by an access token, or a program by an API key."""

    organization_id: UUID
    role: str
    credential: Literal["access_token", "api_key"]
    person: Person | None = None
    key_id: UUID | None = None

    @property
    def scope(self) -> Scope:
        """Everything of the organization."""
        return Scope(self.organization_id)

    @property
    def user_id(self) -> UUID | None:
        """None for a program."""
        return self.person.user_id if self.person else None

    def may(self, operation: Operation) -> bool:
        return self.role in PERMITTED[operation]

"""What somebody is given who has logged in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from supabase_auth import Session


@dataclass(frozen=True, slots=True)
class TokenSet:
    """Two tokens, and nothing of what a provider gave the identity server."""

    access_token: str
    refresh_token: str
    expires_in: int

    @classmethod
    def of(cls, session: Session) -> TokenSet:
        return cls(session.access_token, session.refresh_token, session.expires_in)

    def as_json(self) -> dict[str, Any]:
        return {
            "access_token": self.access_token,
            "refresh_token": self.refresh_token,
            "expires_in": self.expires_in,
            "token_type": "bearer",
        }


@dataclass(frozen=True, slots=True)
class Arrival:
    """A token set, whose it is, and their default organization, if they belong to any."""

    tokens: TokenSet
    user_id: UUID
    email: str
    organization_id: UUID | None

    def as_json(self) -> dict[str, Any]:
        user = {"id": self.user_id, "email": self.email, "organization_id": self.organization_id}
        return {**self.tokens.as_json(), "user": user}

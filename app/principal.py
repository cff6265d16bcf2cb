"""On whose behalf a request is made, however it was authenticated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from pipelines.types import Scope


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller in one organization."""

    organization_id: UUID
    role: str
    credential: Literal["access_token", "api_key"]

    @property
    def scope(self) -> Scope:
        """Everything of the organization."""
        return Scope(self.organization_id)

    @property
    def may_edit(self) -> bool:
        """Whether documents may be created, updated and deleted."""
        return self.role in ("owner", "admin")

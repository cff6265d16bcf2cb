"""What all addresses below an organization have in common."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query

from app.auth.credentials import authenticate, permitted
from app.bodies import json_media_type
from app.limits.dependencies import LIMITED
from app.openapi import EVERYWHERE
from app.roles import Operation

Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(max_length=1000, description="The `next_cursor` of the page before.")]

PREFIX = "/api/organizations/{organization_id}"


async def in_organization(organization_id: Annotated[str, Path(description="The organization's id.")]) -> None:
    """For the description; whether the caller belongs to it is checked with their credentials."""


def organization_router(tag: str) -> APIRouter:
    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        dependencies=[Depends(json_media_type), Depends(authenticate), Depends(in_organization)],
        responses=EVERYWHERE,
    )


def allowing(operation: Operation) -> list[Any]:
    """The checks of a route after those of the credentials, in their order."""
    return [Depends(permitted(operation)), LIMITED]

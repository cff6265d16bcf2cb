"""The embedded identity server as browsers and clients of Supabase reach it: at /auth/v1, behind the account limits."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app import audit
from app.auth import PATH
from app.auth.identity import IdentityServer
from app.errors import NotFound
from app.limits.account import AccountLimits, Purpose
from app.members import service as members
from pipelines.store.database import Database

if TYPE_CHECKING:
    from app.auth.embedded import Event
    from app.auth.embedded.limiter import Kind

BY_OPERATOR = ("created_by_admin", "banned", "ban_lifted", "deleting", "deleted")
"""What is done with the service key."""
PURPOSES: dict[Kind, Purpose] = {"mail": Purpose.MAIL, "login": Purpose.LOGIN}


class Door:
    """Nothing is behind it while the identity server is somebody else's."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (inside := scope["state"]["identity_door"]) is None:
            raise NotFound
        limits: AccountLimits = scope["state"]["account_limits"]
        address = limits.address_of(Request(scope))
        await inside({**scope, "client": (address, 0)}, receive, send)


def make_door(server: IdentityServer, limits: AccountLimits, database: Database) -> ASGIApp | None:
    """What is done there counts and is recorded as what is done through our own endpoints."""
    if server.embedded is None:
        return None
    from app.auth.embedded import create_identity_app

    heard = dataclasses.replace(server.embedded, listener=_Recording(database))
    return create_identity_app(heard, limiter=_Counting(limits))


class _Counting:
    """The account limits in the shape that the identity server asks for; it refuses in its own words."""

    def __init__(self, limits: AccountLimits) -> None:
        self._limits = limits

    async def admit(self, kind: Kind, address: str | None, email: str | None) -> float | None:
        return await self._limits.seconds_to_wait(address or "", email, PURPOSES.get(kind))


class _Recording:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, event: Event) -> None:
        await self._database.write(_record, event)


def _record(connection: Connection, event: Event) -> None:
    """Who is deleted there belongs to no organization any more, and to none joined meanwhile."""
    audit.record(connection, event.name, _actor(event), user_id=event.user_id, details={**event.details, "at": PATH})
    if event.name in ("deleting", "deleted") and event.user_id:
        members.remove_deleted(connection, event.user_id)


def _actor(event: Event) -> str:
    if event.name in BY_OPERATOR:
        return audit.OPERATOR
    return audit.user(event.user_id) if event.user_id and event.name != "login_failed" else audit.NOBODY

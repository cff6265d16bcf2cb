"""`kb admin` for the identity server: keys and accounts of the embedded one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection

from app import audit
from app.commands import console
from app.commands.admin import run
from app.commands.refusals import Refusal
from app.config import Settings

if TYPE_CHECKING:
    from app.auth.embedded import Identity

T = TypeVar("T")
ROLES = {"anon": "anon", "service": "service_role"}


def identity_keys(*, as_json: bool) -> None:
    keys = _embedded(_keys)
    if as_json:
        console.say_json(keys)
    else:
        for name, key in keys.items():
            console.say(f"{name} {key}")


def rotate_keys(*, as_json: bool) -> None:
    key_id = _embedded(lambda identity: identity.keys.rotate())
    run(lambda database: database.write(_record_rotation, key_id))
    if as_json:
        console.say_json({"key": key_id})
    else:
        console.say(
            f"Tokens are signed with the key {key_id} now; what the one before signed stays good until it ends."
        )


def export_users() -> None:
    """One line of JSON each, whether a program reads it or a person."""
    number = _embedded(_export)
    console.tell(f"{number} people. The lines have password hashes: keep them as you keep passwords.")


def _record_rotation(connection: Connection, key_id: str) -> None:
    audit.record(connection, "identity_keys_rotated", audit.OPERATOR, details={"key": key_id})


async def _keys(identity: Identity) -> dict[str, str]:
    return {name: identity.keys.api_key(role) for name, role in ROLES.items()}


async def _export(identity: Identity) -> int:
    from app.auth.embedded import export_users

    number = 0
    async for person in export_users(identity):
        console.say_json(person)
        number += 1
    return number


def _embedded(work: Callable[[Identity], Awaitable[T]]) -> T:
    """Raises Refusal where accounts are a Supabase project's."""
    settings = Settings()
    if settings.supabase_url:
        raise Refusal("SUPABASE_URL is set: accounts and keys are managed there, not here.")

    async def opened() -> T:
        from app.auth.hosting import opened_embedded

        async with opened_embedded(settings) as (identity, _, _):
            return await work(identity)

    return asyncio.run(opened())

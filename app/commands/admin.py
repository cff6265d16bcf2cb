"""`kb admin`: organizations and API keys. Needs the database alone, so it runs beside any server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from app.api_keys.service import ApiKey, KeyNotFound, delete_any_key, list_keys
from app.api_keys.service import create_key as create_api_key
from app.commands import console
from app.commands.opening import named, opened_database
from app.commands.refusals import Refusal
from app.config import Settings
from app.identifiers import read_id
from app.organizations import service as organizations
from app.organizations.service import Organization, create_organization
from pipelines.store.database import Database

T = TypeVar("T")


def create_org(name: str, plan: str, *, as_json: bool) -> None:
    made = run(lambda database: create_organization(database, name, plan))
    if as_json:
        console.say_json(_organization(made))
    else:
        console.tell(f"Created {made.name} on the plan {made.plan}.")
        console.say(str(made.id))


def create_key(organization: str, name: str, *, as_json: bool) -> None:
    key, secret = run(lambda database: _create_key(database, organization, name))
    if as_json:
        console.say_json({**_key(key), "secret": secret})
    else:
        console.tell(f"Created the API key {key.name!r}. This is the only time its secret is shown:")
        console.say(secret)


def set_plan(organization: str, plan: str, *, as_json: bool) -> None:
    changed = run(lambda database: _set_plan(database, organization, plan))
    if as_json:
        console.say_json(_organization(changed))
    else:
        console.say(f"{changed.name} is on the plan {changed.plan}.")


def list_organizations(*, as_json: bool) -> None:
    there = run(organizations.list_organizations)
    if as_json:
        console.say_json([_organization(one) for one in there])
    elif there:
        console.say_table(("id", "name", "plan", "created"), [tuple(_organization(one).values()) for one in there])
    else:
        console.tell("There is no organization yet: kb admin create-org NAME makes one.")


def keys(organization: str, *, as_json: bool) -> None:
    there = run(lambda database: _keys(database, organization))
    if as_json:
        console.say_json([_key(one) for one in there])
    elif there:
        columns = ("id", "name", "prefix", "created", "last used")
        console.say_table(columns, [(one.id, one.name, one.prefix, one.created_at, one.last_used_at) for one in there])
    else:
        console.tell("There is no API key yet: kb admin create-key ORG makes one.")


def delete_key(key: str, *, as_json: bool) -> None:
    gone = run(lambda database: _delete_key(database, key))
    if as_json:
        console.say_json(_key(gone))
    else:
        console.say(f"Deleted the API key {gone.name!r}; within seconds it opens nothing any more.")


async def _delete_key(database: Database, key: str) -> ApiKey:
    if (key_id := read_id(key)) is None:
        raise Refusal(f"{key!r} is not an API key's id; kb admin keys ORG shows them.")
    try:
        return await database.write(delete_any_key, key_id)
    except KeyNotFound:
        raise Refusal(f"There is no API key {key_id}; kb admin keys ORG shows them.") from None


async def _create_key(database: Database, organization: str, name: str) -> tuple[ApiKey, str]:
    return await create_api_key(database, (await named(database, organization)).id, name)


async def _set_plan(database: Database, organization: str, plan: str) -> Organization:
    return await organizations.set_plan(database, (await named(database, organization)).id, plan)


async def _keys(database: Database, organization: str) -> list[ApiKey]:
    return list(await list_keys(database, (await named(database, organization)).id))


def run(work: Callable[[Database], Awaitable[T]]) -> T:
    """With the settings' database; a value that cannot be is a refusal."""

    async def with_database() -> T:
        async with opened_database(Settings()) as database:
            try:
                return await work(database)
            except ValueError as error:
                raise Refusal(str(error)) from None

    return asyncio.run(with_database())


def _organization(one: Organization) -> dict[str, Any]:
    return {"id": str(one.id), "name": one.name, "plan": one.plan, "created_at": one.created_at.isoformat()}


def _key(one: ApiKey) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "organization_id": str(one.organization_id),
        "name": one.name,
        "prefix": one.prefix,
        "created_at": one.created_at.isoformat(),
        "last_used_at": one.last_used_at.isoformat() if one.last_used_at else None,
    }

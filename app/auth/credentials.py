"""From a request's headers to its principal: a person by an access token, or a program by an API key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from app.api_keys.secret import MARK
from app.auth.provisioning import provision
from app.context import context_of
from app.errors import ApiAccessDisabled, Forbidden, Unauthorized
from app.identifiers import read_id
from app.members import repository as members
from app.members.authority import STRANGER, require
from app.members.repository import Standing
from app.principal import Person, Principal
from app.roles import Operation
from app.state import State, state_of

ORGANIZATION = "organization_id"
"""The path parameter that names the organization of a request; without one the header does."""


async def authenticate(request: Request) -> Principal:
    """Who asks, in which organization. X-API-Key decides over Authorization; a bearer may be a key, too.

    Raises Unauthorized, or Forbidden for an organization that they are no member of, whether it exists or not.
    """
    credential = _credential(request)
    wanted = request.path_params.get(ORGANIZATION) or request.headers.get("x-organization-id")
    asking = _program if credential.startswith(MARK) else _member
    principal = await asking(state_of(request), credential, wanted)

    async def check_again() -> None:
        current = await asking(state_of(request), credential, str(principal.organization_id))
        if context.operation is not None:
            require(current, context.operation)

    context = context_of(request.scope)
    context.organization_id, context.check_again = principal.organization_id, check_again
    return principal


async def authenticate_person(request: Request) -> Person:
    """For what only a person can do, whatever they belong to. Raises Forbidden for an API key."""
    credential, state = _credential(request), state_of(request)
    if credential.startswith(MARK):
        if await state["keys"].find(credential) is None:
            raise Unauthorized
        raise Forbidden("Only a person can do this, with an access token.")
    person, _ = await _arrived(state, credential)

    async def check_again() -> None:
        await _arrived(state, credential)

    context_of(request.scope).check_again = check_again
    return person


def permitted(operation: Operation) -> Callable[[Request, Principal], Awaitable[None]]:
    """A dependency that refuses whose role does not permit it; the start-up check and the description know it, too."""

    async def check(request: Request, caller: Caller) -> None:
        require(caller, operation)
        context_of(request.scope).operation = operation

    check.operation = operation  # type: ignore[attr-defined]
    return check


def _credential(request: Request) -> str:
    if (key := request.headers.get("x-api-key")) is not None:
        if key.startswith(MARK):
            return key
        raise Unauthorized
    return bearer(request)


def bearer(request: Request) -> str:
    """Raises Unauthorized."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    return token.strip()


async def _program(state: State, secret: str, wanted: str | None) -> Principal:
    key = await state["keys"].find(secret)
    if key is None:
        raise Unauthorized
    if wanted is not None and read_id(wanted) != key.organization_id:
        raise Forbidden("This API key is another organization's.")
    organization = await state["organizations"].of(key.organization_id)
    if organization is None or not organization.features.get("api_access", True):
        raise ApiAccessDisabled
    return Principal(key.organization_id, key.role, "api_key", key_id=key.id)


async def _member(state: State, token: str, wanted: str | None) -> Principal:
    person, standing = await _arrived(state, token)
    organization_id = read_id(wanted) if wanted is not None else _first(standing)
    membership = standing.member_of(organization_id) if organization_id else None
    if membership is None:
        raise Forbidden(STRANGER)
    return Principal(membership.organization_id, membership.role, "access_token", person)


async def _arrived(state: State, token: str) -> tuple[Person, Standing]:
    """The token's person, whose session lives; at their first request they get what belongs to them."""
    person = await state["identity"].verifier.verify(token)
    if not await state["identity"].is_live(person):
        raise Unauthorized
    standing = await _standing(state, person)
    if standing is None:
        is_closed = await state["accounts"].desk.offers.are_closed()
        await state["knowledge"].database.write(provision, person, is_closed=is_closed)
        standing = await _standing(state, person)
    if standing is None or not standing.accepts(person.session_id, person.issued_at):
        raise Unauthorized
    return person, standing


async def _standing(state: State, person: Person) -> Standing | None:
    return await state["knowledge"].database.read(members.standing, person.user_id, person.session_id)


def _first(standing: Standing) -> UUID | None:
    return standing.memberships[0].organization_id if standing.memberships else None


Caller = Annotated[Principal, Depends(authenticate)]
"""Who asks, in an organization."""
Individual = Annotated[Person, Depends(authenticate_person)]
"""Who asks, as a person."""

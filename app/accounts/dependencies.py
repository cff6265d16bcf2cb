"""What account endpoints are given."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from app.accounts.desk import Desk
from app.accounts.services import Accounts
from app.auth.credentials import authenticate, authenticate_person
from app.auth.routes import Credentials
from app.errors import ApiAccessDisabled, Forbidden
from app.limits.account import Purpose
from app.limits.admission import admission_of
from app.limits.dependencies import account_limits_of, limits_of
from app.limits.limiter import Kind
from app.principal import Person, Principal


def accounts_of(request: Request) -> Accounts:
    return cast("Accounts", request.scope["state"]["accounts"])


async def _services(request: Request) -> Accounts:
    return accounts_of(request)


async def _desk(request: Request) -> Desk:
    return accounts_of(request).desk


async def admit_mail(request: Request, email: str) -> None:
    """Raises TooManyRequests, for known and unknown addresses alike."""
    await account_limits_of(request).admit_email(request, email, Purpose.MAIL)


async def admit_login(request: Request, email: str) -> None:
    await account_limits_of(request).admit_email(request, email, Purpose.LOGIN)


async def somebody(request: Request) -> Principal | Person:
    """Who asks, in an organization; or as a person who belongs to none any more and asks about none."""
    try:
        caller: Principal | Person = await authenticate(request)
    except ApiAccessDisabled:
        raise
    except Forbidden:
        if "x-organization-id" in request.headers:
            raise
        caller = await authenticate_person(request)
    await _admit(request, caller)
    return caller


somebody.credentials, somebody.limit = Credentials.ANY, Kind.GENERAL  # type: ignore[attr-defined]


async def _admit(request: Request, caller: Principal | Person) -> None:
    if isinstance(caller, Principal):
        await limits_of(request).admit(caller, Kind.GENERAL, admission_of(request.scope))
    else:
        await account_limits_of(request).admit_address(request)


Services = Annotated[Accounts, Depends(_services)]
AtDesk = Annotated[Desk, Depends(_desk)]
Somebody = Annotated[Principal | Person, Depends(somebody)]

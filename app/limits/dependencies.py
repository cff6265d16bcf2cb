"""Limits as dependencies of routes, after those that check credentials and role."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, cast

from fastapi import Depends, Request

from app.auth.credentials import Caller
from app.limits.account import AccountLimits
from app.limits.admission import admission_of
from app.limits.limiter import Kind, Limits


def limits_of(request: Request) -> Limits:
    return cast("Limits", request.scope["state"]["limits"])


def account_limits_of(request: Request) -> AccountLimits:
    return cast("AccountLimits", request.scope["state"]["account_limits"])


def _limited(kind: Kind) -> Callable[[Request, Caller], Awaitable[None]]:
    async def admit(request: Request, caller: Caller) -> None:
        await limits_of(request).admit(caller, kind, admission_of(request.scope))

    admit.limit = kind  # type: ignore[attr-defined]
    return admit


async def _address_limited(request: Request) -> None:
    await account_limits_of(request).admit_address(request)


async def _account_limits(request: Request) -> AccountLimits:
    return account_limits_of(request)


LIMITED = Depends(_limited(Kind.GENERAL))
"""For a route with credentials."""
QUESTION_LIMITED = Depends(_limited(Kind.QUESTION))
"""For a route that answers questions."""
ADDRESS_LIMITED = Depends(_address_limited)
"""For an account route; it also asks `admit_email` once it knows the address."""
Accounts = Annotated[AccountLimits, Depends(_account_limits)]

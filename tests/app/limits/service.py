"""A small service whose routes answer what they are told to, with the limits put on as the real one puts them on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

import httpx
from fastapi import APIRouter, Depends, FastAPI, Header, Request
from slowapi import Limiter
from starlette.middleware import Middleware
from starlette.responses import Response

from app import error_handlers
from app.auth.credentials import authenticate
from app.errors import InvalidRequest, NotFound, Unavailable
from app.limits.account import AccountLimits, Purpose
from app.limits.admission import admission_of
from app.limits.client_address import TrustedProxies
from app.limits.dependencies import ADDRESS_LIMITED, LIMITED, QUESTION_LIMITED, Accounts
from app.limits.limiter import Limits
from app.limits.middleware import LimitHeaders
from app.limits.token_bucket import TokenBucketRateLimiter
from app.middleware import Surroundings
from app.organizations import repository
from app.organizations.lookup import OrganizationLookup
from app.organizations.service import create_organization
from app.principal import Principal
from app.responses import json_response
from pipelines.store.database import Database
from tests.app.limits.conftest import FakeClock

ENDINGS: dict[str, Exception] = {
    "400": InvalidRequest("No."),
    "404": NotFound(),
    "500": RuntimeError("nobody foresaw this"),
    "503": Unavailable("INDEX_UNAVAILABLE", "Later.", 1),
}

router = APIRouter()


@router.get("/things", dependencies=[Depends(authenticate), LIMITED])
async def things(end: str = "200") -> Response:
    return _ended(end)


@router.post("/questions", dependencies=[Depends(authenticate), QUESTION_LIMITED])
async def questions(request: Request, end: str = "200") -> Response:
    if end == "broken stream":
        return _BrokenStream(request)
    return _ended(end)


@router.post("/login", dependencies=[ADDRESS_LIMITED])
async def login(request: Request, accounts: Accounts, email: str, end: str = "200") -> Response:
    await accounts.admit_email(request, email, Purpose.LOGIN)
    return _ended(end)


@router.post("/mail", dependencies=[ADDRESS_LIMITED])
async def mail(request: Request, accounts: Accounts, email: str) -> Response:
    await accounts.admit_email(request, email, Purpose.MAIL)
    return _ended("200")


class _BrokenStream(Response):
    """Says 200 and fails."""

    def __init__(self, request: Request) -> None:
        super().__init__()
        self._request = request

    async def __call__(self, *asgi: Any) -> None:
        await super().__call__(*asgi)
        await admission_of(self._request.scope).refund()


def _ended(end: str) -> Response:
    if end in ENDINGS:
        raise ENDINGS[end]
    return json_response({}, int(end))


async def _principal(x_org: Annotated[UUID, Header()]) -> Principal:
    return Principal(x_org, "member", "api_key")


@dataclass
class Service:
    """A service, its limits and its clock."""

    app: FastAPI
    limits: Limits
    database: Database
    clock: FakeClock

    async def organization(self, plan: str = "free") -> UUID:
        made = await create_organization(self.database, "Askers")
        await self.database.write(repository.set_plan, made.id, plan)
        return made.id

    @asynccontextmanager
    async def client(self, organization_id: UUID | None = None, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        sent = {"X-Org": str(organization_id), **headers} if organization_id else headers
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test", headers=sent) as client:
            yield client


def make_service(database: Database, limiter: Limiter, clock: FakeClock, trusted: str = "") -> Service:
    limits = Limits(database, limiter, OrganizationLookup(database), clock)
    limits.buckets = TokenBucketRateLimiter(limits.buckets.storage, clock)
    app = FastAPI(middleware=[Middleware(LimitHeaders), Middleware(_States, limits=limits, trusted=trusted)])
    error_handlers.install(app)
    app.include_router(router)
    app.dependency_overrides[authenticate] = _principal
    return Service(app, limits, database, clock)


class _States:
    """What the lifespan gives in the real service."""

    def __init__(self, app: Any, limits: Limits, trusted: str) -> None:
        self._app = Surroundings(app)
        self._state = {"limits": limits, "account_limits": AccountLimits(limits, TrustedProxies(trusted))}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["state"] = self._state
        await self._app(scope, receive, send)

"""The service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware import Middleware

from app import error_handlers, health, openapi
from app.accounts import endpoints as accounts
from app.accounts import oauth_endpoints as oauth
from app.accounts.services import Accounts
from app.api_keys import endpoints as api_keys
from app.api_keys.lookup import KeyLookup
from app.auth import PATH
from app.auth.door import Door, make_door
from app.auth.hosting import mailer
from app.auth.identity import IdentityServer
from app.auth.identity import opened as opened_identity
from app.auth.routes import check_routes
from app.config import Settings
from app.console import endpoints as console
from app.documents import endpoints as documents
from app.invitations import endpoints as invitations
from app.knowledge import open_knowledge
from app.limits.account import AccountLimits
from app.limits.client_address import TrustedProxies
from app.limits.limiter import Limits
from app.limits.middleware import LimitHeaders
from app.limits.storage import make_limiter
from app.members import endpoints as members
from app.metrics import Metrics
from app.middleware import BodyLimit, Surroundings
from app.migrations import migrate
from app.organizations import endpoints as organizations
from app.organizations.lookup import OrganizationLookup
from app.query import endpoints as query
from app.shutdown import Shutdown
from app.state import State
from pipelines.knowledge import KnowledgeBase

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[State]]
DESCRIPTION = "A knowledge base that answers questions with verified citations and an honest confidence."


ROUTERS = (
    documents.router,
    query.router,
    organizations.router,
    members.router,
    invitations.router,
    invitations.accepting,
    api_keys.router,
    accounts.router,
    oauth.router,
    console.router,
    health.router,
)


def create_app(
    settings: Settings | None = None, knowledge: KnowledgeBase | None = None, identity: IdentityServer | None = None
) -> FastAPI:
    """Opens what the settings describe when it starts, but for what it is given, which it does not close."""
    settings = settings or Settings()
    metrics, shutdown = Metrics(), Shutdown()
    app = FastAPI(
        title="Knowledge base query service",
        version=version("kb-query-service"),
        description=DESCRIPTION,
        docs_url=None,  # its pages would load scripts from foreign hosts
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan(settings, knowledge, identity, metrics, shutdown),
        middleware=[
            Middleware(LimitHeaders),
            Middleware(Surroundings, metrics=metrics, shutdown=shutdown),
            Middleware(BodyLimit),
        ],
    )
    error_handlers.install(app)
    for router in ROUTERS:
        app.include_router(router)
    app.mount(PATH, Door())
    check_routes(app)
    openapi.describe(app, settings.public_url)
    return app


def _lifespan(
    settings: Settings,
    given: KnowledgeBase | None,
    known: IdentityServer | None,
    metrics: Metrics,
    shutdown: Shutdown,
) -> Lifespan:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        async with AsyncExitStack() as stack:
            opened = given if given is not None else await _opened(settings, stack)
            shutdown.on_soft(opened.stop_waiting)
            await migrate(opened.database)
            identity = known if known is not None else await stack.enter_async_context(opened_identity(settings))
            keys = KeyLookup(opened.database)
            stack.push_async_callback(keys.close)
            limiter = make_limiter(settings.redis_url, enabled=settings.limits == "on")
            lookup = OrganizationLookup(opened.database)
            limits = Limits(opened.database, limiter, lookup)
            stack.push_async_callback(limits.close)
            account_limits = AccountLimits(limits, TrustedProxies(settings.trusted_proxies))
            services = Accounts.over(settings, identity, opened.database)
            stack.push_async_callback(services.close)
            yield State(
                settings=settings,
                knowledge=opened,
                identity=identity,
                keys=keys,
                organizations=lookup,
                limits=limits,
                account_limits=account_limits,
                accounts=services,
                identity_door=make_door(identity, account_limits, opened.database),
                mailer=mailer(settings),
                metrics=metrics,
                shutdown=shutdown,
            )

    return lifespan


async def _opened(settings: Settings, stack: AsyncExitStack) -> KnowledgeBase:
    return await stack.enter_async_context(await open_knowledge(settings))

"""What is opened once and used by every request."""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

from fastapi import Depends, Request
from starlette.types import ASGIApp

from app.accounts.services import Accounts
from app.api_keys.lookup import KeyLookup
from app.auth.embedded.mail import Mailer
from app.auth.identity import IdentityServer
from app.config import Settings
from app.limits.account import AccountLimits
from app.limits.limiter import Limits
from app.metrics import Metrics
from app.organizations.lookup import OrganizationLookup
from app.shutdown import Shutdown
from pipelines.knowledge import KnowledgeBase


class State(TypedDict):
    settings: Settings
    knowledge: KnowledgeBase
    identity: IdentityServer
    keys: KeyLookup
    organizations: OrganizationLookup
    limits: Limits
    account_limits: AccountLimits
    mailer: Mailer
    metrics: Metrics
    shutdown: Shutdown
    accounts: Accounts
    identity_door: ASGIApp | None


def state_of(request: Request) -> State:
    return cast("State", request.scope["state"])


async def _knowledge(request: Request) -> KnowledgeBase:
    return state_of(request)["knowledge"]


Knowledge = Annotated[KnowledgeBase, Depends(_knowledge)]

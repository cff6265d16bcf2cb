"""Supabase's official client: one for each operation, and one place where its errors become ours.

A client remembers who signed in with it last, so none is ever shared; the connection pool is.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

import httpx
import pydantic

from app.accounts.refusals import (
    EmailNotVerified,
    InvalidCredentials,
    InvalidRefreshToken,
    LinkExpired,
    ProviderNotEnabled,
    SignInRefused,
    SignupClosed,
    TokenReused,
    WeakPassword,
)
from app.auth.identity import IdentityServer
from app.auth.jwks import IdentityUnavailable
from app.errors import Forbidden, InvalidRequest, ServiceError, Unauthorized
from app.limits.refusals import TooManyRequests

if TYPE_CHECKING:
    from supabase import AsyncClient
    from supabase_auth import AsyncGoTrueClient
    from supabase_auth.errors import AuthError

logger = logging.getLogger(__name__)

DEADLINE = 12.0
"""Seconds for one operation: calls inside the process know no timeout of their own."""
PAUSE = 60
"""Seconds to come back after, where the identity server does not say."""
VERIFIER = "supabase.auth.token-code-verifier"
"""Where the client keeps the secret of a sign-in with a provider."""


class MailHeldBack(IdentityUnavailable):
    """This address was written to a moment ago. Only who owns the address may learn that."""


class NoAccount(IdentityUnavailable):
    """There is no account with this address. Nobody may learn that."""


class AccountExists(IdentityUnavailable):
    """There is an account with this address. Nobody may learn that."""


class IdentityFailed(IdentityUnavailable):
    """It answered, and could not: it is the mail server that is down, most often."""


Refusal = Callable[[], ServiceError]
Refusals = Mapping[str, Refusal]


def _malformed() -> ServiceError:
    return InvalidRequest("The identity server does not take this request.")


REFUSALS: Refusals = {
    "invalid_credentials": InvalidCredentials,
    "user_banned": InvalidCredentials,
    "email_not_confirmed": EmailNotVerified,
    "weak_password": WeakPassword,
    "same_password": lambda: WeakPassword(["same"]),
    "validation_failed": _malformed,
    "email_address_invalid": _malformed,
    "email_address_not_authorized": _malformed,
    "user_sso_managed": lambda: Forbidden("Your password is your organization's single sign-on's."),
    "reauthentication_needed": lambda: Forbidden("Log in again before you change your password."),
    "current_password_required": lambda: Forbidden("Ask for a link to choose a new password."),
    "refresh_token_not_found": InvalidRefreshToken,
    "refresh_token_already_used": TokenReused,
    "otp_expired": LinkExpired,
    "flow_state_not_found": LinkExpired,
    "flow_state_expired": LinkExpired,
    "bad_code_verifier": LinkExpired,
    "bad_oauth_state": LinkExpired,
    "session_not_found": Unauthorized,
    "session_expired": Unauthorized,
    "user_not_found": Unauthorized,
    "bad_jwt": Unauthorized,
    "signup_disabled": SignupClosed,
    "provider_disabled": ProviderNotEnabled,
    "email_provider_disabled": ProviderNotEnabled,
    "saml_provider_disabled": ProviderNotEnabled,
    "sso_provider_not_found": ProviderNotEnabled,
    "sso_provider_disabled": ProviderNotEnabled,
    "provider_email_needs_verification": SignInRefused,
    "over_request_rate_limit": lambda: TooManyRequests(PAUSE),
    "over_email_send_rate_limit": MailHeldBack,
    "otp_disabled": NoAccount,
    "email_exists": AccountExists,
    "user_already_exists": AccountExists,
}
REFRESHING: Refusals = dict.fromkeys(
    ("validation_failed", "session_not_found", "session_expired", "user_banned", "user_not_found"), InvalidRefreshToken
)
FOLLOWING_A_LINK: Refusals = dict.fromkeys(("validation_failed", "user_banned"), LinkExpired)
RETURNING: Refusals = {"validation_failed": LinkExpired, "user_banned": SignInRefused}


@asynccontextmanager
async def as_anybody(
    server: IdentityServer, refusals: Refusals | None = None, *, pkce: bool = False
) -> AsyncIterator[AsyncGoTrueClient]:
    """A client that nobody has signed in with. Raises ServiceErrors only; `refusals` go before the usual ones."""
    async with _translating(refusals or {}):
        yield _client(server, server.anon_key, "pkce" if pkce else "implicit").auth


@asynccontextmanager
async def as_administrator(
    server: IdentityServer, refusals: Refusals | None = None
) -> AsyncIterator[AsyncGoTrueClient]:
    """One with the service key, for `.admin` alone. Raises ServiceErrors only."""
    async with _translating(refusals or {}):
        yield _client(server, server.service_key, "implicit").auth


async def pkce_verifier(client: AsyncGoTrueClient) -> str:
    """The secret of the sign-in that this client has begun."""
    return str(await client._storage.get_item(VERIFIER))


def _client(server: IdentityServer, key: str, flow: Literal["pkce", "implicit"]) -> AsyncClient:
    from supabase import AsyncClient, AsyncClientOptions
    from supabase_auth import AsyncMemoryStorage

    options = AsyncClientOptions(
        persist_session=False,
        auto_refresh_token=False,
        flow_type=flow,
        storage=AsyncMemoryStorage(),
        httpx_client=server.http,
    )
    return AsyncClient(server.url, key, options)


@asynccontextmanager
async def _translating(refusals: Refusals) -> AsyncIterator[None]:
    if "supabase" not in sys.modules:  # a third of a second: neither starting nor other requests wait for it
        await asyncio.to_thread(importlib.import_module, "supabase")
    from supabase_auth.errors import AuthError

    try:
        async with asyncio.timeout(DEADLINE):
            yield
    except AuthError as error:
        raise _refusal(error, refusals) from None
    except (pydantic.ValidationError, httpx.HTTPError, TimeoutError, OSError) as error:
        logger.warning("the identity server cannot be used: %s", type(error).__name__)
        raise IdentityUnavailable from None


def _refusal(error: AuthError, refusals: Refusals) -> ServiceError:
    from supabase_auth.errors import AuthApiError, AuthWeakPasswordError

    if isinstance(error, AuthWeakPasswordError):
        return WeakPassword(error.reasons or ["length"])
    if isinstance(error, AuthApiError):
        return _by_code(error.status, error.code, refusals)
    logger.warning("the identity server cannot be used: %s", type(error).__name__)
    return IdentityUnavailable()


def _by_code(status: int, code: str | None, refusals: Refusals) -> ServiceError:
    if status < 500 and code and (refusal := {**REFUSALS, **refusals}.get(code)):
        return refusal()
    if status == 401 and code is None:
        logger.error("the identity server does not take our API key")
    else:
        logger.warning("the identity server answered %s %s", status, code)
    return IdentityFailed() if status >= 500 else IdentityUnavailable()

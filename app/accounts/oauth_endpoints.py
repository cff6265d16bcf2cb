"""/api/auth/oauth: the browser's way to a provider and back."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from app import schemas
from app.accounts import examples
from app.accounts.dependencies import Services, accounts_of
from app.accounts.endpoints import NOT_KEPT, POSTED, token_response
from app.accounts.flows import FLOW_LIFETIME
from app.accounts.oauth import AuthorizationRedirect, AuthorizationRequest, AuthorizationResponse
from app.accounts.schemas import Domain, Exchange, OrganizationName, Secret
from app.addresses import Email
from app.auth.routes import OPEN
from app.bodies import body
from app.limits.dependencies import ADDRESS_LIMITED
from app.openapi import EVERYWHERE, Responses, answers, refusals, request_body

router = APIRouter(prefix="/api/auth/oauth", tags=["Accounts"], responses=EVERYWHERE)
BROWSED = [OPEN, ADDRESS_LIMITED]
GOES_ON: Responses = {302: {"description": "The browser goes on."}}
NOT_ENABLED = refusals({404: "This sign-in is not switched on."})

Text = Annotated[str, Query(max_length=4096)]


@router.get(
    "/callback",
    dependencies=BROWSED,
    responses={**answers(200, "A token set.", examples.ARRIVED, schemas.TokenSet), **GOES_ON},
)
async def callback(
    request: Request,
    services: Services,
    state: Text = "",
    code: Text = "",
    error: Text = "",
    error_code: Text = "",
) -> Response:
    """Come back from the provider, in the browser that left."""
    verifier = request.cookies.get(_cookie(request, state), "")
    arrived = await services.oauth.callback(AuthorizationResponse(state, verifier, code, error, error_code))
    response = _onward(arrived) if isinstance(arrived, str) else token_response(arrived.as_json())
    response.delete_cookie(_cookie(request, state), path="/", secure=_is_secure(request), httponly=True, samesite="lax")
    return response


@router.post(
    "/exchange",
    dependencies=POSTED,
    openapi_extra=request_body(Exchange),
    responses=answers(200, "A token set.", examples.ARRIVED, schemas.TokenSet),
)
async def exchange(services: Services, given: Annotated[Exchange, Depends(body(Exchange))]) -> Response:
    """Get the token set for the one-time `code` that came to `next`; within a minute, once."""
    return token_response(await services.oauth.exchange(given.code))


@router.get("/{provider}", dependencies=BROWSED, responses={**GOES_ON, **NOT_ENABLED})
async def start(
    request: Request,
    services: Services,
    provider: str,
    next_: Annotated[str | None, Query(alias="next")] = None,
    organization_name: Annotated[OrganizationName | None, Query(alias="organizationName")] = None,
    invitation_token: Annotated[Secret | None, Query()] = None,
    email: Annotated[Email | None, Query()] = None,
    domain: Annotated[Domain | None, Query()] = None,
) -> Response:
    """Sign in with a provider: the browser is sent there."""
    wanted = AuthorizationRequest(
        provider=provider,
        next=next_,
        organization_name=organization_name,
        invitation_token=invitation_token,
        domain=domain or (email.rpartition("@")[2] if email else None),
    )
    return _away(request, await services.oauth.authorize(wanted))


def _away(request: Request, redirect: AuthorizationRedirect) -> Response:
    response = _onward(redirect.url)
    response.set_cookie(
        _cookie(request, redirect.state),
        redirect.verifier,
        max_age=int(FLOW_LIFETIME.total_seconds()),
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


def _onward(url: str) -> Response:
    return RedirectResponse(url, 302, NOT_KEPT | {"Referrer-Policy": "no-referrer"})


def _is_secure(request: Request) -> bool:
    return accounts_of(request).desk.site.startswith("https://")


def _cookie(request: Request, state: str) -> str:
    """One for each sign-in, so that two tabs do not take each other's; no other host of the domain can set it."""
    name = f"kb-oauth-{hashlib.sha256(state.encode()).hexdigest()[:16]}"
    return f"__Host-{name}" if _is_secure(request) else name

"""Signing in with a provider: there, back, and on to where the browser came from."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from app.accounts import flows
from app.accounts.desk import Desk
from app.accounts.flows import Flow
from app.accounts.providers import Offer
from app.accounts.redirects import Redirects
from app.accounts.refusals import LinkExpired, ProviderNotEnabled, SignInRefused, SignupClosed
from app.accounts.sealing import seal, unseal
from app.accounts.tokens import Arrival
from app.auth.client import RETURNING, AccountExists, as_administrator, as_anybody, pkce_verifier
from app.auth.embedded.redirects import with_query
from app.digests import digest, new_secret
from app.errors import InvalidRequest
from app.invitations import acceptance

if TYPE_CHECKING:
    from supabase_auth import AsyncGoTrueClient

logger = logging.getLogger(__name__)

CALLBACK = "/api/auth/oauth/callback"
SCOPES = {"azure": "email"}
"""Without it Microsoft tells no address."""
LOST = "This sign-in has expired, was finished already, or began in another browser: begin again."


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """What a sign-in is begun with."""

    provider: str
    next: str | None = None
    organization_name: str | None = None
    invitation_token: str | None = None
    domain: str | None = None
    """Of an e-mail address: which single sign-on."""


@dataclass(frozen=True, slots=True)
class AuthorizationRedirect:
    """Where the browser goes; `state` comes back in the address, `verifier` in the browser's cookie."""

    url: str
    state: str
    verifier: str


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """What the browser brings back."""

    state: str
    verifier: str
    code: str
    error: str
    error_code: str


class OAuth:
    def __init__(self, desk: Desk, redirects: Redirects) -> None:
        self._desk = desk
        self._redirects = redirects

    async def authorize(self, wanted: AuthorizationRequest) -> AuthorizationRedirect:
        """Raises ProviderNotEnabled, InvalidRequest, InvitationNotFound."""
        offer = await self._desk.offers.now()
        if not offer.has(wanted.provider):
            raise ProviderNotEnabled
        address = self._redirects.checked(wanted.next)
        invitation = await self._invitation(wanted, offer)
        state = new_secret()
        url, verifier = await self._begin(wanted, state)
        flow = Flow(wanted.provider, address, wanted.organization_name, invitation)
        await self._desk.database.write(flows.begin, flow, digest(state), digest(verifier), datetime.now(UTC))
        return AuthorizationRedirect(url, state, verifier)

    async def _invitation(self, wanted: AuthorizationRequest, offer: Offer) -> str | None:
        if wanted.invitation_token is None:
            return None
        token_hash = digest(wanted.invitation_token)
        invited = await self._desk.database.read(acceptance.find, token_hash, None, datetime.now(UTC))
        if offer.is_closed:
            await self._let_in(invited.email)
        return token_hash

    async def _let_in(self, email: str) -> None:
        """While signing up is closed, the identity server takes nobody whom it does not know by an invitation."""
        try:
            async with as_administrator(self._desk.identity) as client:
                await client.admin.generate_link({"type": "invite", "email": email})
        except AccountExists:
            return

    async def _begin(self, wanted: AuthorizationRequest, state: str) -> tuple[str, str]:
        callback = f"{self._desk.site}{CALLBACK}?{urlencode({'state': state})}"
        async with as_anybody(self._desk.identity, pkce=True) as client:
            url = await _address(client, wanted, callback)
            return url, await pkce_verifier(client)

    async def callback(self, answer: AuthorizationResponse) -> Arrival | str:
        """The arrival, or the address with a one-time code to which the browser goes on.

        Raises LinkExpired for a return that is not this browser's, SignInRefused, SignupClosed, NotInvited.
        """
        flow = await self._finished(answer)
        if not answer.code:
            logger.info("a sign-in with %s was refused: %s", flow.provider, answer.error_code[:50] or "cancelled")
            raise SignupClosed if answer.error_code == "signup_disabled" else SignInRefused
        arrival = await self._arrival(flow, answer)
        if flow.next is None:
            return arrival
        code = new_secret()
        sealed = seal(arrival.as_json(), code)
        await self._desk.database.write(flows.put_away, digest(code), sealed, datetime.now(UTC))
        return with_query(flow.next, {"code": code})

    async def _finished(self, answer: AuthorizationResponse) -> Flow:
        hashes = digest(answer.state), digest(answer.verifier)
        flow = await self._desk.database.write(flows.finish, *hashes, datetime.now(UTC))
        if flow is None:
            raise LinkExpired(LOST)
        return flow

    async def _arrival(self, flow: Flow, answer: AuthorizationResponse) -> Arrival:
        async with as_anybody(self._desk.identity, RETURNING) as client:
            entered = await client.exchange_code_for_session(
                {"auth_code": answer.code, "code_verifier": answer.verifier, "redirect_to": ""}
            )
        details = {"provider": flow.provider}
        return await self._desk.arrive(
            entered.session, "oauth_login", details, flow.organization_name, flow.invitation_hash
        )

    async def exchange(self, code: str) -> dict[str, Any]:
        """The token set that waits for this code. Raises LinkExpired."""
        sealed = await self._desk.database.write(flows.take_out, digest(code), datetime.now(UTC))
        content = unseal(sealed, code) if sealed else None
        if not isinstance(content, dict):
            raise LinkExpired("This code is unknown, used or expired.")
        return content


async def _address(client: AsyncGoTrueClient, wanted: AuthorizationRequest, callback: str) -> str:
    """Where the identity server sends the browser off."""
    if wanted.provider != "sso":
        options = {"redirect_to": callback, "scopes": SCOPES.get(wanted.provider, "")}
        begun = await client.sign_in_with_oauth({"provider": wanted.provider, "options": options})  # type: ignore[typeddict-item]
        return begun.url
    if not wanted.domain:
        raise InvalidRequest("Single sign-on needs `email` or `domain`.")
    found = await client.sign_in_with_sso({"domain": wanted.domain, "options": {"redirect_to": callback}})
    return found.url

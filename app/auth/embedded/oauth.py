"""Signing in with a provider: there, back, and on to the application."""

import hashlib
import secrets
import uuid
from dataclasses import dataclass

from app.auth.embedded import flows, linking, outgoing, sessions
from app.auth.embedded.errors import IdentityError, invalid, unexpected
from app.auth.embedded.flows import Challenge, checked_challenge
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.linking import needs_verification
from app.auth.embedded.models import FlowState, User
from app.auth.embedded.providers import Profile, ProviderClient, ProviderFault
from app.auth.embedded.redirects import with_fragment, with_query
from app.auth.embedded.schemas import IdTokenGrant, SingleSignOn
from app.auth.embedded.settings import Provider
from app.auth.embedded.signup import MAIL_FAILED
from app.auth.embedded.verification import refusal_at, with_tokens
from app.auth.embedded.views import Json

KNOWN = (
    "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao",
    "keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "snapchat", "spotify", "twitch",
    "twitter", "workos", "zoom",
)  # fmt: skip


@dataclass(frozen=True)
class Return:
    """What a provider sends back by the browser."""

    state: str
    code: str
    error: str
    error_description: str


class OAuth:
    """The providers of one identity server."""

    def __init__(self, identity: Identity) -> None:
        settings = identity.settings
        self._identity = identity
        self._clients = {
            provider.name: ProviderClient(provider, f"{settings.url}/callback")
            for provider in (*settings.providers, *settings.single_sign_on)
        }

    async def authorize(self, name: str, challenge: Challenge | None, redirect_to: str, **extra: str) -> str:
        """The address to send the browser to."""
        if name not in {p.name for p in self._identity.settings.providers}:
            missing = "provider is not enabled" if name in KNOWN else f"Provider {name} could not be found"
            raise invalid(f"Unsupported provider: {missing}")
        return await self._leave(name, challenge, redirect_to, **extra)

    async def single_sign_on(self, params: SingleSignOn, redirect_to: str) -> str:
        settings = self._identity.settings
        challenge = checked_challenge(params.code_challenge, params.code_challenge_method)
        provider = settings.sign_on_for(params.domain) or settings.provider(params.provider_id)
        if not params.domain and not params.provider_id:
            raise invalid("Specify either domain or provider_id")
        if provider is None or not provider.domains:
            raise IdentityError(404, "sso_provider_not_found", "No SSO provider assigned for this domain")
        return await self._leave(provider.name, challenge, redirect_to)

    async def _leave(self, name: str, challenge: Challenge | None, redirect_to: str, **extra: str) -> str:
        nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        state = uuid.uuid4()
        try:
            url = await self._clients[name].authorization_url(str(state), nonce, verifier, **extra)
        except ProviderFault as fault:
            raise unexpected(str(fault)) from fault
        method = "sso" if self._clients[name].provider.domains else "oauth"
        async with self._identity.transaction() as work:
            flow = flows.open_flow(work, method, redirect_to, challenge)
            flow.id, flow.provider, flow.nonce, flow.provider_verifier = state, name, nonce, verifier
            await flows.sweep(work)
        return url

    async def come_back(self, answer: Return) -> str:
        """Where the browser goes on to; a `StateRefused` says that we do not even know whence it came."""
        flow = await self._flow(answer.state)
        if answer.error:
            return await self._refused(flow, answer)
        try:
            if not answer.code:
                sentence = "OAuth callback with missing authorization code missing"
                raise IdentityError(400, "bad_oauth_callback", sentence)
            return await self._enter(flow, answer.code)
        except IdentityError as refusal:
            return refusal_at(flow.redirect_to, refusal, in_query=True)

    async def _flow(self, state: str) -> FlowState:
        if not state:
            raise StateRefused("bad_oauth_callback", "OAuth state parameter missing")
        try:
            flow_id = uuid.UUID(state)
        except ValueError as fault:
            raise StateRefused("bad_oauth_state", "OAuth state parameter is invalid") from fault
        async with self._identity.reading() as work:
            flow = await work.db.get(FlowState, flow_id)
        if flow is None or flow.provider not in self._clients or self._too_late(work, flow):
            raise StateRefused("bad_oauth_state", "OAuth state not found or expired")
        if flow.issued_at:
            raise StateRefused("flow_state_already_used", "OAuth state has already been used")
        return flow

    def _too_late(self, work: Work, flow: FlowState) -> bool:
        return work.expired(flow.created_at, self._identity.settings.flow_lifetime)

    async def _refused(self, flow: FlowState, answer: Return) -> str:
        async with self._identity.transaction() as work:
            await _forget(work, flow.id)
        told = {"error": answer.error, "error_description": answer.error_description}
        return with_fragment(with_query(flow.redirect_to, told), {**told, "sb": ""})

    async def _enter(self, flow: FlowState, code: str) -> str:
        client = self._clients[flow.provider or ""]
        try:
            profile = await client.exchange(code, flow.nonce or "", flow.provider_verifier or "")
        except ProviderFault as fault:
            raise unexpected(str(fault)) from fault
        async with self._identity.transaction() as work:
            entered = await linking.sign_in(work, client.provider, profile)
            if isinstance(entered, User):
                return await _go_on(work, flow.id, entered, profile)
            await _forget(work, flow.id)
        await outgoing.deliver(self._identity, entered.mail, failure=MAIL_FAILED)
        raise _mail_sent(client.provider)

    async def by_id_token(self, params: IdTokenGrant) -> Json:
        """A sign-in whose ID token a native application has got by itself."""
        if not params.id_token or not params.provider:
            raise invalid("id_token and provider required")
        if params.provider not in {p.name for p in self._identity.settings.providers}:
            raise IdentityError(400, "provider_disabled", f"Provider {params.provider} is not enabled")
        client = self._clients[params.provider]
        nonce = hashlib.sha256(params.nonce.encode()).hexdigest() if params.nonce else None
        try:
            profile = await client.profile({"id_token": params.id_token}, nonce)
        except ProviderFault as fault:
            raise IdentityError(400, "validation_failed", "Bad ID token") from fault
        async with self._identity.transaction() as work:
            entered = await linking.sign_in(work, client.provider, profile)
            if isinstance(entered, User):
                return await sessions.start(work, entered, "oauth")
        await outgoing.deliver(self._identity, entered.mail, failure=MAIL_FAILED)
        raise _mail_sent(client.provider)


class StateRefused(Exception):
    """The browser's return fits no journey of ours; it is told so at the site."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.told = {"error": "invalid_request", "error_code": code, "error_description": sentence}


def _mail_sent(provider: Provider) -> IdentityError:
    return needs_verification(provider, f"A confirmation email has been sent to your {provider.name} email")


async def _go_on(work: Work, flow_id: uuid.UUID, user: User, profile: Profile) -> str:
    flow = await work.db.get(FlowState, flow_id, with_for_update=True)
    if flow is None or flow.issued_at:
        raise IdentityError(400, "bad_oauth_state", "OAuth state not found or expired")
    if flow.challenge:
        flow.provider_tokens = profile.tokens
        return with_query(flow.redirect_to, {"code": flows.issue_code(work, flow, user)})
    await work.db.delete(flow)
    return with_tokens(flow.redirect_to, await sessions.start(work, user, flow.method), profile.tokens)


async def _forget(work: Work, flow_id: uuid.UUID) -> None:
    flow = await work.db.get(FlowState, flow_id)
    if flow:
        await work.db.delete(flow)

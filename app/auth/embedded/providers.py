"""OpenID Connect providers, by Authlib: discovery, the way there, the code, the ID token."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from authlib.integrations.httpx_client import AsyncOAuth2Client  # type: ignore[import-untyped]  # ships no types
from authlib.oidc.core import CodeIDToken  # type: ignore[import-untyped]  # the same
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from app.auth.embedded.settings import Provider

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
METADATA_SECONDS = KEYS_SECONDS = 3600.0
KEYS_AGAIN_SECONDS = 30.0
LEEWAY = 30
LONGEST = 255


class ProviderFault(Exception):
    """The provider could not be reached, or what it said cannot be trusted."""


@dataclass(frozen=True)
class Profile:
    """Whom a provider has signed in."""

    subject: str
    email: str
    email_verified: bool
    data: dict[str, Any]
    tokens: dict[str, str] = field(default_factory=dict)


@dataclass
class ProviderClient:
    """One provider, with its metadata and keys as last fetched."""

    provider: Provider
    callback: str
    _metadata: dict[str, Any] = field(default_factory=dict)
    _keys: dict[str, Any] = field(default_factory=dict)
    _fetched: float = 0.0
    _keys_fetched: float = 0.0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def authorization_url(self, state: str, nonce: str, verifier: str, **extra: str) -> str:
        metadata = await self.metadata()
        async with self._client() as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"], state=state, nonce=nonce, code_verifier=verifier, **extra
            )
        return str(url)

    async def exchange(self, code: str, nonce: str, verifier: str) -> Profile:
        metadata = await self.metadata()
        try:
            async with self._client() as client:
                tokens = await client.fetch_token(
                    metadata["token_endpoint"], grant_type="authorization_code", code=code, code_verifier=verifier
                )
        except Exception as fault:  # whatever Authlib, its HTTP client or the provider come up with
            raise ProviderFault(f"Unable to exchange external code: {code[:4]}") from fault
        return await self.profile(tokens, nonce)

    async def profile(self, tokens: Mapping[str, Any], nonce: str | None) -> Profile:
        claims = await self._claims(str(tokens.get("id_token", "")), nonce)
        return _profile(self.provider, claims, tokens)

    async def metadata(self) -> dict[str, Any]:
        async with self._lock:
            if not self._metadata or time.monotonic() - self._fetched > METADATA_SECONDS:
                self._metadata = await self._discover()
                self._keys, self._fetched = {}, time.monotonic()
            return self._metadata

    async def _discover(self) -> dict[str, Any]:
        issuer = self.provider.issuer.rstrip("/")
        found = await _fetch(f"{issuer}/.well-known/openid-configuration")
        if str(found.get("issuer", "")).rstrip("/") != issuer:
            raise ProviderFault("The provider's metadata names another issuer")
        return found

    async def _claims(self, token: str, nonce: str | None) -> dict[str, Any]:
        metadata = await self.metadata()
        fresh = await self._fetch_keys(metadata, KEYS_SECONDS)
        try:
            return self._checked(token, metadata["issuer"], nonce)
        except (JoseError, ValueError, KeyError) as fault:
            if fresh or not await self._fetch_keys(metadata, KEYS_AGAIN_SECONDS):
                raise ProviderFault("The provider's ID token is not valid") from fault
        try:
            return self._checked(token, metadata["issuer"], nonce)
        except (JoseError, ValueError, KeyError) as fault:
            raise ProviderFault("The provider's ID token is not valid") from fault

    async def _fetch_keys(self, metadata: dict[str, Any], older_than: float) -> bool:
        """Anybody can show a bad token: that alone must not make us fetch again and again."""
        if self._keys and time.monotonic() - self._keys_fetched < older_than:
            return False
        self._keys, self._keys_fetched = await _fetch(metadata["jwks_uri"]), time.monotonic()
        return True

    def _checked(self, token: str, issuer: str, nonce: str | None) -> dict[str, Any]:
        registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        decoded = jwt.decode(token, KeySet.import_key_set(self._keys), registry=registry)  # type: ignore[arg-type]
        wanted = {
            "iss": {"essential": True, "values": [issuer]},
            "aud": {"essential": True, "values": [self.provider.client_id]},
        }
        params = {"client_id": self.provider.client_id, "nonce": nonce}
        claims = CodeIDToken(decoded.claims, decoded.header, wanted, params)
        claims.validate(leeway=LEEWAY)
        return dict(claims)

    def _client(self) -> Any:
        return AsyncOAuth2Client(
            client_id=self.provider.client_id,
            client_secret=self.provider.client_secret,
            scope=self.provider.scopes,
            redirect_uri=self.callback,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_post",  # noqa: S106 - the name of a method
            timeout=8.0,
        )


async def _fetch(url: str) -> dict[str, Any]:
    try:
        async with httpx.AsyncClient(timeout=5.0) as client:
            found = (await client.get(url)).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as fault:
        raise ProviderFault("The provider cannot be reached") from fault
    if not isinstance(found, dict):
        raise ProviderFault("The provider's answer is no JSON object")
    return found


def _profile(provider: Provider, claims: Mapping[str, Any], tokens: Mapping[str, Any]) -> Profile:
    subject, email = str(claims["sub"]), str(claims.get("email") or "").lower()
    if len(subject) > LONGEST or len(email) > LONGEST:
        raise ProviderFault("The provider's ID token names somebody too long")
    verified = bool(email) and (provider.trusts_email or _says_verified(claims))
    names = {"name": claims.get("name"), "full_name": claims.get("name"), "avatar_url": claims.get("picture")}
    data = {
        "iss": provider.issuer.rstrip("/"),
        "sub": subject,
        "provider_id": subject,
        "email": email,
        "email_verified": verified,
        "phone_verified": False,
        "custom_claims": {},
        **{key: value for key, value in names.items() if isinstance(value, str) and len(value) <= LONGEST},
    }
    kept = {"provider_token": tokens.get("access_token"), "provider_refresh_token": tokens.get("refresh_token")}
    return Profile(subject, email, verified, data, {k: v for k, v in kept.items() if isinstance(v, str)})


def _says_verified(claims: Mapping[str, Any]) -> bool:
    """`xms_edov` is Microsoft's word for it; without either the address counts as unverified."""
    return any(claims.get(name) in (True, "true", "1", 1) for name in ("email_verified", "xms_edov"))

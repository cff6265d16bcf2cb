"""Supabase Auth as the service reaches it: over the network, or embedded in this process; the calls are the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

import httpx
from pydantic import SecretStr

from app.auth import PATH
from app.auth.jwks import Jwks
from app.auth.verifier import TokenVerifier
from app.config import Settings
from app.principal import Person
from pipelines.store.database import Database

if TYPE_CHECKING:
    from app.auth.embedded import Identity

NOBODY = UUID(int=0)
TIMEOUT = 15.0
"""Seconds for one call: the identity server sends mails while it is waited for."""


@dataclass(frozen=True, slots=True)
class IdentityServer:
    """`url` is the project's address, as the official client takes it; `embedded` the server itself, if it is ours.

    `sessions` is its database, read in one thread hop: every request with a token asks whether its session lives.
    """

    url: str
    anon_key: str
    service_key: str
    http: httpx.AsyncClient
    verifier: TokenVerifier
    embedded: Identity | None
    sessions: Database | None = None

    async def ping(self) -> None:
        """Raises some exception unless it answers; the embedded one has to reach its database, too."""
        address = f"{self.url.rstrip('/')}{PATH}/health"
        (await self.http.get(address, headers={"apikey": self.anon_key})).raise_for_status()
        if self.embedded is not None:
            await self.embedded.is_live(NOBODY, NOBODY)

    async def is_live(self, person: Person) -> bool:
        """Whether the session has not ended there. A server outside is not asked: its tokens end by themselves."""
        if self.embedded is None:
            return True
        if self.sessions is None:
            return await self.embedded.is_live(person.user_id, person.session_id)
        from app.auth.embedded import is_live

        return await self.sessions.read(is_live, person.user_id, person.session_id, self.embedded.clock())


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[IdentityServer]:
    """The identity server that the settings name; the embedded one without any."""
    if settings.supabase_url is None:
        from app.auth.hosting import opened_embedded  # argon2, Authlib: not for who brings a server

        async with opened_embedded(settings) as (embedded, http, sessions):
            anon, service = embedded.keys.api_key("anon"), embedded.keys.api_key("service_role")
            server = _over(settings.public_url, anon, service, http, None)
            yield replace(server, embedded=embedded, sessions=sessions)
        return
    async with httpx.AsyncClient(timeout=TIMEOUT) as http:
        anon, service = _read(settings.supabase_anon_key), _read(settings.supabase_service_role_key)
        yield _over(settings.supabase_url, anon, service, http, _read(settings.supabase_jwt_secret) or None)


def _read(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""


def _over(url: str, anon: str, service: str, http: httpx.AsyncClient, secret: str | None) -> IdentityServer:
    base = f"{url.rstrip('/')}{PATH}"
    verifier = TokenVerifier(Jwks(http, f"{base}/.well-known/jwks.json"), base, secret)
    return IdentityServer(url, anon, service, http, verifier, None)

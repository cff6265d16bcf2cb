"""Sign-in with others: what is switched on at the identity server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from app.auth import PATH
from app.auth.identity import IdentityServer
from app.auth.jwks import IdentityUnavailable

FRESH = 60.0
TIMEOUT = 3.0


@dataclass(frozen=True, slots=True)
class Provider:
    id: str
    name: str
    enterprise: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "enterprise": self.enterprise}


GOOGLE = Provider("google", "Google")
AZURE = Provider("azure", "Microsoft")
SSO = Provider("sso", "Single sign-on", enterprise=True)


@dataclass(frozen=True, slots=True)
class Offer:
    """Which providers there are, and whether newcomers need an invitation."""

    providers: Sequence[Provider]
    is_closed: bool

    def has(self, name: str) -> bool:
        return any(provider.id == name for provider in self.providers)


class Offers:
    """Asks the identity server now and then; a change there holds within a minute."""

    def __init__(self, server: IdentityServer) -> None:
        self._server = server
        self._kept: tuple[float, Offer] | None = None

    async def now(self) -> Offer:
        """Raises IdentityUnavailable while nothing was ever heard."""
        if self._kept is None or time.monotonic() - self._kept[0] > FRESH:
            try:
                self._kept = time.monotonic(), _offer(await self._ask())
            except (httpx.HTTPError, OSError, TimeoutError, ValueError):
                if self._kept is None:
                    raise IdentityUnavailable from None
        return self._kept[1]

    async def are_closed(self) -> bool:
        """Whether newcomers need an invitation; an identity server that cannot be asked has not said so."""
        try:
            return (await self.now()).is_closed
        except IdentityUnavailable:
            return False

    async def _ask(self) -> Mapping[str, Any]:
        async with asyncio.timeout(TIMEOUT):
            address = f"{self._server.url.rstrip('/')}{PATH}/settings"
            response = await self._server.http.get(address, headers={"apikey": self._server.anon_key})
        found = response.raise_for_status().json()
        if not isinstance(found, dict) or not isinstance(found.get("external"), dict):
            raise ValueError("no settings")
        return found


def _offer(settings: Mapping[str, Any]) -> Offer:
    on = [provider for provider in (GOOGLE, AZURE) if settings["external"].get(provider.id) is True]
    sso = [SSO] if settings.get("saml_enabled") is True else []
    return Offer([*on, *sso], settings.get("disable_signup") is True)

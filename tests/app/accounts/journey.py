"""A browser's way to a provider and back."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from tests.app.accounts.house import SITE, House, Json, good, new_address

CALLBACK = f"{SITE}/api/auth/oauth/callback"


@dataclass
class Journey:
    house: House
    browser: httpx.AsyncClient

    def person(self, address: str | None = None, *, verified: bool = True) -> str:
        """Whom the provider signs in next."""
        address = address or new_address()
        self.house.openid.person = {"sub": f"sub-{address}", "email": address, "email_verified": verified}
        return address

    async def start(self, provider: str = "google", **query: str) -> httpx.Response:
        return await self.browser.get(f"/api/auth/oauth/{provider}", params=query)

    async def callback(self, provider: str = "google", **query: str) -> str:
        """The address at which the browser comes back."""
        answer = await self.start(provider, **query)
        for _ in range(5):
            assert answer.status_code in (302, 303), answer.text
            location = answer.headers["location"]
            if location.startswith(SITE) and not location.startswith(f"{SITE}/auth/v1/"):
                return location
            answer = await self.browser.get(location)
        raise AssertionError("the browser is sent round and round")

    async def sign_in(self, provider: str = "google", **query: str) -> httpx.Response:
        return await self.browser.get(await self.callback(provider, **query))

    async def arrive(self, provider: str = "google", **query: str) -> Json:
        return good(await self.sign_in(provider, **query))


def query_of(address: str) -> dict[str, Any]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))

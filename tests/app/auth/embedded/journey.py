"""A browser's way to a provider and back, for tests."""

from dataclasses import dataclass
from typing import Any

import httpx

from app.auth.embedded import Provider

from .house import SITE, URL, House, Json, good, new_address, query
from .openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider
from .test_mail_links import CHALLENGE, VERIFIER

WELCOME, UUID_0 = f"{SITE}/welcome", "0" * 32
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "s256"}


@dataclass
class Journey:
    """A house with a provider, and a browser that goes there and back."""

    house: House
    openid: OpenIdProvider

    def person(self, address: str | None = None, *, verified: Any = True, **more: Any) -> Json:
        address = address or new_address()
        self.openid.person = {
            "sub": f"sub-{address}",
            "email": address,
            "email_verified": verified,
            "name": "Ann",
        } | more
        return self.openid.person

    async def there(self, provider: str = "google", **params: str) -> str:
        asked = {"provider": provider, "redirect_to": WELCOME, **params}
        answer = await self.house.call("GET", "/authorize", params=asked)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    async def back(self, url: str) -> str:
        async with httpx.AsyncClient() as browser:
            callback = (await browser.get(url)).headers["location"]
        assert callback.startswith(f"{URL}/callback?")
        return callback

    async def arrive(self, callback: str) -> str:
        answer = await self.house.http.get(callback)
        assert answer.status_code in (302, 303)
        location: str = answer.headers["location"]
        return location

    async def whole(self, provider: str = "google", **params: str) -> str:
        return await self.arrive(await self.back(await self.there(provider, **{**PKCE, **params})))

    async def exchange(self, location: str, verifier: str = VERIFIER) -> httpx.Response:
        body = {"auth_code": query(location)["code"], "code_verifier": verifier}
        return await self.house.post("/token?grant_type=pkce", body)

    async def log_in(self, provider: str = "google") -> Json:
        return good(await self.exchange(await self.whole(provider)))


def providers(issuer: str) -> dict[str, Any]:
    named = tuple(Provider(name, issuer, CLIENT_ID, CLIENT_SECRET) for name in ("google", "azure", "keycloak"))
    sso = Provider("acme", issuer, CLIENT_ID, CLIENT_SECRET, domains=frozenset({"acme.example"}))
    return {"providers": named, "single_sign_on": (sso,)}

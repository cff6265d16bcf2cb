"""The service with accounts, over the embedded identity server or one outside, and the people who use it."""

import email
import email.policy
import re
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from fastapi import FastAPI

from pipelines.store.database import Database
from tests.app.auth.embedded.openid_provider import OpenIdProvider

SITE = "http://kb.test"
PASSWORD, OTHER_PASSWORD = "correct horse", "battery staple"
Json = dict[str, Any]


@dataclass
class Mailbox:
    """The outbox folders that mails are kept in."""

    folders: list[Path]

    def texts(self, address: str) -> list[str]:
        """Oldest first."""
        files = sorted((path for folder in self.folders for path in folder.glob("*.eml")), key=lambda path: path.name)
        mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in files]
        return [mail.get_body(("plain",)).get_content() for mail in mails if mail["To"] == address.strip().lower()]

    def link(self, address: str, number: int = -1) -> str:
        found = re.search(r"https?://\S+", self.texts(address)[number])
        assert found
        return found.group(0)

    def token(self, address: str, number: int = -1) -> Json:
        """What the page posts that a mail leads to."""
        link = urlsplit(self.link(address, number))
        assert f"{link.scheme}://{link.netloc}{link.path}" == f"{SITE}/auth/confirm"
        return dict(parse_qsl(link.query))


@dataclass
class House:
    app: FastAPI
    http: httpx.AsyncClient
    mailbox: Mailbox
    database: Database
    openid: OpenIdProvider
    identity_url: str
    anon_key: str
    service_key: str

    async def post(self, path: str, json: Any = None, token: str | None = None, **more: Any) -> httpx.Response:
        return await self.http.post(f"/api/auth{path}", json=json, headers=bearer(token), **more)

    async def get(self, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        return await self.http.get(path, headers=bearer(token), **more)

    async def sign_up(self, address: str, password: str = PASSWORD, name: str = "Birders") -> httpx.Response:
        return await self.post("/signup", {"email": address, "password": password, "organizationName": name})

    async def follow(self, address: str, number: int = -1) -> httpx.Response:
        return await self.post("/verify", self.mailbox.token(address, number))

    async def person(self, address: str | None = None, password: str = PASSWORD, name: str = "Birders") -> Json:
        """Somebody who has signed up and verified their address; the token set of that."""
        address = address or new_address()
        assert (await self.sign_up(address, password, name)).status_code == 201
        return good(await self.follow(address))

    async def log_in(self, address: str, password: str = PASSWORD) -> httpx.Response:
        return await self.post("/login", {"email": address, "password": password})

    async def refresh(self, token: str) -> httpx.Response:
        return await self.post("/refresh", {"refresh_token": token})

    async def me(self, token: str, **headers: str) -> httpx.Response:
        return await self.http.get("/api/auth/me", headers=bearer(token) | headers)

    async def identity(self, method: str, path: str, json: Any = None, token: str | None = None) -> httpx.Response:
        """The identity server's own endpoints, as anybody reaches them."""
        headers = {"X-Supabase-Api-Version": "2024-01-01", "apikey": self.anon_key, **bearer(token)}
        async with self.browser() as browser:
            return await browser.request(method, f"{self.identity_url}{path}", json=json, headers=headers)

    async def admin(self, method: str, path: str, json: Any = None) -> httpx.Response:
        return await self.identity(method, f"/admin{path}", json, self.service_key)

    def browser(self) -> httpx.AsyncClient:
        """It keeps cookies, and what is not our own site it reaches over the network."""
        return httpx.AsyncClient(mounts={SITE.replace("http", "all"): httpx.ASGITransport(self.app)}, base_url=SITE)


def bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def new_address() -> str:
    return f"someone-{uuid.uuid4().hex[:12]}@example.com"


def good(response: httpx.Response, status: int = 200) -> Json:
    assert response.status_code == status, response.text
    body: Json = response.json()
    return body


def refused(response: httpx.Response) -> tuple[int, str]:
    body = response.json()
    assert {"error", "message", "code", "request_id"} <= set(body)
    return response.status_code, body["code"]

"""An identity server in the process, its mails in a list, its clock in the test's hand."""

import os
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from argon2 import PasswordHasher
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.routing import Mount

from app.auth.embedded import (
    Event,
    Identity,
    IdentitySettings,
    Limiter,
    Mail,
    MailNotSent,
    Passwords,
    create_identity_app,
)

URL, SITE = "https://kb.example.com/auth/v1", "https://kb.example.com"
PASSWORD, OTHER_PASSWORD = "correct horse", "battery staple"
POSTGRES = os.environ.get("KB_TEST_POSTGRES_URL", "").replace("postgresql://", "postgresql+asyncpg://")
Json = dict[str, Any]


class Clock:
    """Starts now and moves when told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Mailbox:
    """Every mail, newest last; `down` refuses them."""

    mails: list[Mail] = field(default_factory=list)
    down: bool = False

    async def send(self, mail: Mail) -> None:
        if self.down:
            raise MailNotSent
        self.mails.append(mail)

    def link(self, address: str) -> str:
        mail = next(m for m in reversed(self.mails) if m.to == address)
        found = re.search(r"https?://\S+", mail.text)
        assert found
        return found.group(0)

    def token(self, address: str) -> str:
        query = dict(parse_qsl(urlsplit(self.link(address)).query))
        return query.get("token") or query["token_hash"]

    def link_type(self, address: str) -> str:
        return dict(parse_qsl(urlsplit(self.link(address)).query))["type"]

    def code(self, address: str) -> str:
        mail = next(m for m in reversed(self.mails) if m.to == address)
        found = re.search(r"\b\d{6}\b", mail.text.rpartition("http")[2])
        assert found
        return found.group(0)


@dataclass
class House:
    """The server and what a test needs of it."""

    identity: Identity
    mailbox: Mailbox
    clock: Clock
    events: list[Event]
    http: httpx.AsyncClient
    app: Starlette

    def __post_init__(self) -> None:
        self.anon = self.identity.keys.api_key("anon")
        self.service = self.identity.keys.api_key("service_role")

    async def call(
        self, method: str, path: str, json: Any = None, *, bearer: str | None = None, **kw: Any
    ) -> httpx.Response:
        headers = {"X-Supabase-Api-Version": "2024-01-01", **kw.pop("headers", {})}
        headers |= {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return await self.http.request(method, URL + path, json=json, headers=headers, **kw)

    async def post(self, path: str, json: Any = None, *, bearer: str | None = None, **kw: Any) -> httpx.Response:
        return await self.call("POST", path, json, bearer=bearer, **kw)

    async def admin(self, method: str, path: str, json: Any = None) -> httpx.Response:
        return await self.call(method, path, json, bearer=self.service)

    async def sign_up(self, address: str | None = None, password: str = PASSWORD, **data: Any) -> Json:
        body = {"email": address or new_address(), "password": password, "data": data}
        return good(await self.post("/signup", body))

    async def verify(self, link_type: str, token: str) -> httpx.Response:
        return await self.post("/verify", {"type": link_type, "token_hash": token})

    async def member(self, address: str | None = None, password: str = PASSWORD) -> Json:
        """Somebody who has signed up and confirmed; their first session."""
        address = address or new_address()
        await self.sign_up(address, password)
        return good(await self.verify("signup", self.mailbox.token(address)))

    async def log_in(self, address: str, password: str = PASSWORD) -> httpx.Response:
        return await self.post("/token?grant_type=password", {"email": address, "password": password})

    async def refresh(self, token: str) -> httpx.Response:
        return await self.post("/token?grant_type=refresh_token", {"refresh_token": token})

    async def user(self, session: Json) -> httpx.Response:
        return await self.call("GET", "/user", bearer=session["access_token"])


def new_address() -> str:
    return f"someone-{uuid.uuid4().hex[:10]}@example.com"


def good(response: httpx.Response) -> Json:
    assert response.status_code == 200, response.text
    body: Json = response.json()
    return body


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def fragment(location: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(location).fragment, keep_blank_values=True))


def query(location: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(location).query, keep_blank_values=True))


def settings(**changes: Any) -> IdentitySettings:
    calm: dict[str, Any] = {"mail_interval": 0, "response_floor": 0, "redirect_allow_list": (f"{SITE}/**",)}
    return IdentitySettings(URL, SITE, **{**calm, **changes})


class Builder:
    """Makes houses over one database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._clients: list[httpx.AsyncClient] = []

    async def __call__(
        self, *, limiter: Limiter | None = None, confirm_url: str | None = None, **changes: Any
    ) -> House:
        mailbox, clock, events = Mailbox(), Clock(), list[Event]()

        async def listen(event: Event) -> None:
            events.append(event)

        hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        identity = Identity.over(
            self.engine, settings(**changes), mailbox, passwords=Passwords(hasher), listener=listen, clock=clock
        )
        await identity.database.create_tables()
        await identity.keys.load()
        app = Starlette(
            routes=[Mount("/auth/v1", create_identity_app(identity.leading_to(confirm_url), limiter=limiter))]
        )
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app))
        self._clients.append(client)
        return House(identity, mailbox, clock, events, client, app)

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()

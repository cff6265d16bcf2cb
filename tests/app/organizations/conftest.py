"""An organization with people in it, and mails that are kept instead of sent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager
from fastapi import FastAPI

from app.auth.embedded.mail import Mail, MailNotSent
from app.config import Settings
from app.main import create_app
from app.organizations.service import Organization
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import calling
from tests.app.people import People, Somebody, calling_as, join


@dataclass
class Mailbox:
    """Every mail that was sent; `down` refuses to take one."""

    mails: list[Mail] = field(default_factory=list)
    down: bool = False

    async def send(self, mail: Mail) -> None:
        if self.down:
            raise MailNotSent
        self.mails.append(mail)

    def token(self, address: str) -> str:
        """That of the newest mail to somebody."""
        newest = next(mail for mail in reversed(self.mails) if mail.to == address)
        found = re.search(r"/auth/invitation\?token=([\w-]+)", newest.text)
        assert found, newest.text
        return found[1]


@dataclass
class House:
    """One organization; its people come with a client each."""

    app: FastAPI
    knowledge: KnowledgeBase
    organization: Organization
    people: People
    mailbox: Mailbox
    _stack: AsyncExitStack

    @property
    def url(self) -> str:
        return f"/api/organizations/{self.organization.id}"

    async def member(self, role: str, email: str | None = None) -> Resident:
        somebody = self.people.somebody(email)
        return await self.client(await join(self.knowledge.database, self.organization, somebody, role))

    async def client(self, somebody: Somebody) -> Resident:
        return Resident(somebody, await self._stack.enter_async_context(calling_as(self.app, somebody)), self.url)

    async def with_key(self, secret: str | None) -> httpx.AsyncClient:
        return await self._stack.enter_async_context(calling(self.app, secret))


@dataclass(frozen=True)
class Resident:
    """Somebody who calls; addresses without a slash are those below the organization."""

    somebody: Somebody
    http: httpx.AsyncClient
    url: str

    @property
    def id(self) -> str:
        return str(self.somebody.id)

    @property
    def email(self) -> str:
        return self.somebody.email

    async def call(self, method: str, path: str, json: Any = None) -> httpx.Response:
        address = path if path.startswith("/") else f"{self.url}/{path}".rstrip("/")
        return await self.http.request(method, address, json=json)

    async def get(self, path: str) -> Any:
        response = await self.call("GET", path)
        assert response.status_code == 200, response.text
        return response.json()


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
def people() -> People:
    return People()


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, limits="off", _env_file=None)


@pytest.fixture
async def app(
    knowledge: KnowledgeBase, settings: Settings, people: People, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FastAPI]:
    monkeypatch.setattr("app.main.mailer", lambda _: mailbox)
    async with people.identity() as identity, LifespanManager(create_app(settings, knowledge, identity)) as manager:
        yield manager.app


@pytest.fixture
async def house(
    app: FastAPI, knowledge: KnowledgeBase, organization: Organization, people: People, mailbox: Mailbox
) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        yield House(app, knowledge, organization, people, mailbox, stack)


@pytest.fixture
async def owner(house: House) -> Resident:
    return await house.member("owner", "owner@example.com")

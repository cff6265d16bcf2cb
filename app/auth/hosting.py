"""The embedded identity server as the service runs it: its database, its mails, and the way in from this process."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from app.auth import PATH
from app.auth.embedded import (
    Identity,
    IdentitySettings,
    Mailer,
    OutboxMailer,
    Provider,
    SmtpMailer,
    create_identity_app,
    migrate,
    open_engine,
)
from app.config import Settings
from pipelines.store.database import PATIENCE, Database, dispose_within
from pipelines.store.folder import make_private

CONFIRM = "/auth/confirm"


@asynccontextmanager
async def opened_embedded(settings: Settings) -> AsyncIterator[tuple[Identity, httpx.AsyncClient, Database]]:
    """The server, a client whose requests reach it without a network, and its database for plain statements."""
    engine = open_engine(_database(settings))
    sessions = Database(_database(settings))
    identity = Identity.over(engine, _identity_settings(settings), mailer(settings))
    try:
        await migrate(identity.database)
        await identity.keys.load()
        path = urlsplit(settings.public_url).path.rstrip("/") + PATH
        app = Starlette(routes=[Mount(path, create_identity_app(_inside(identity, settings)))])
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport) as http:
            yield identity, http, sessions
    finally:
        await sessions.close()
        await dispose_within(PATIENCE, engine)


def _inside(identity: Identity, settings: Settings) -> Identity:
    """As our own endpoints reach it: its mails lead to our page, and how long an answer takes is theirs to say."""
    led = identity.leading_to(f"{settings.public_url.rstrip('/')}{CONFIRM}")
    return dataclasses.replace(led, settings=dataclasses.replace(led.settings, response_floor=0.0))


def mailer(settings: Settings) -> Mailer:
    """SMTP, or the outbox folder."""
    if settings.smtp_url:
        return SmtpMailer.at(settings.smtp_url.get_secret_value(), settings.mail_from)
    return OutboxMailer(settings.data_dir / "outbox", settings.mail_from)


def _database(settings: Settings) -> str:
    """PostgreSQL is shared, SQLite has a file of its own: the client is called while no transaction is open, yet."""
    url = settings.database_url or ""
    if url.startswith("postgres"):
        return f"postgresql+asyncpg{url[url.index('://') :]}"
    make_private(settings.data_dir)
    return f"sqlite+aiosqlite:///{settings.data_dir / 'identity.sqlite3'}"


def _identity_settings(settings: Settings) -> IdentitySettings:
    site = settings.public_url.rstrip("/")
    return IdentitySettings(
        url=f"{site}{PATH}",
        site_url=site,
        redirect_allow_list=settings.redirect_allow_list,
        reuse_interval=settings.identity_reuse_interval,
        mail_interval=settings.identity_mail_interval,
        signup_enabled=settings.identity_signup == "on",
        response_floor=settings.identity_floor,
        providers=tuple(_providers(settings)),
        single_sign_on=tuple(_single_sign_on(settings)),
    )


def _providers(settings: Settings) -> list[Provider]:
    return [
        Provider(name, issuer, client_id, secret.get_secret_value())
        for name, issuer, client_id, secret in (
            (
                "google",
                settings.oauth_google_issuer,
                settings.oauth_google_client_id,
                settings.oauth_google_client_secret,
            ),
            ("azure", settings.oauth_azure_issuer, settings.oauth_azure_client_id, settings.oauth_azure_client_secret),
        )
        if issuer and client_id and secret
    ]


def _single_sign_on(settings: Settings) -> list[Provider]:
    issuer, client_id = settings.oauth_sso_issuer, settings.oauth_sso_client_id
    secret = settings.oauth_sso_client_secret
    if not (issuer and client_id and secret):
        return []
    domains = frozenset(domain.strip().lower() for domain in settings.oauth_sso_domains.split(",") if domain.strip())
    if not domains:
        return []
    return [Provider("sso", issuer, client_id, secret.get_secret_value(), domains=domains)]

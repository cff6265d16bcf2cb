"""`kb admin check-identity`: what a Supabase project lacks for this service, as far as its public answers tell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import httpx
import typer

from app.auth import PATH
from app.auth.jwks import usable
from app.commands import console
from app.commands.refusals import Refusal
from app.config import Settings

TIMEOUT = 10.0
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def check(*, as_json: bool) -> None:
    settings = Settings()
    if settings.supabase_url is None:
        raise Refusal("SUPABASE_URL is not set: the identity server is the embedded one, which needs no settings.")
    findings = asyncio.run(_findings(settings, settings.supabase_url.rstrip("/")))
    if as_json:
        console.say_json(findings)
    else:
        for finding in findings:
            console.say(finding)
        _tell_what_cannot_be_seen(settings)
    if findings:
        raise typer.Exit(1)


def client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=False)


async def _findings(settings: Settings, url: str) -> list[str]:
    parts = urlsplit(url)
    found = []
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        found.append("SUPABASE_URL is not https: passwords and tokens travel in the open.")
    async with client() as http:
        for checking in (_settings_of_the_project, _signing_keys, _service_key):
            try:
                found += await checking(http, f"{url}{PATH}", settings)
            except (httpx.HTTPError, ValueError) as error:
                return [*found, f"{url} cannot be used as a Supabase project: {type(error).__name__}."]
    return found


async def _settings_of_the_project(http: httpx.AsyncClient, base: str, settings: Settings) -> Iterable[str]:
    response = await http.get(f"{base}/settings", headers={"apikey": _plain(settings.supabase_anon_key)})
    if response.status_code in (401, 403):
        return ["SUPABASE_ANON_KEY is not one that the project takes."]
    response.raise_for_status()
    return _about(response.json())


def _about(said: Any) -> list[str]:
    if not isinstance(said, dict) or not isinstance(said.get("external"), dict):
        raise ValueError("not the settings of Supabase Auth")
    wrong = {
        "The e-mail provider is off: nobody can sign up or log in with an address.": not said["external"].get("email"),
        "Sign-ups are off: nobody new can come, invited or not.": said.get("disable_signup"),
        "Addresses are not confirmed: anybody can sign up with anybody's.": said.get("mailer_autoconfirm"),
    }
    return [sentence for sentence, holds in wrong.items() if holds]


async def _signing_keys(http: httpx.AsyncClient, base: str, settings: Settings) -> Iterable[str]:
    response = await http.get(f"{base}/.well-known/jwks.json")
    response.raise_for_status()
    if usable(response.json()) or _plain(settings.supabase_jwt_secret):
        return []
    return [
        "The project publishes no signing key for ES256 or RS256 and SUPABASE_JWT_SECRET is not set:"
        " no access token can be verified. Switch to asymmetric signing keys, or set the secret."
    ]


async def _service_key(http: httpx.AsyncClient, base: str, settings: Settings) -> Iterable[str]:
    key = _plain(settings.supabase_service_role_key)
    headers = {"apikey": key, "Authorization": f"Bearer {key}"}
    response = await http.get(f"{base}/admin/users?per_page=1", headers=headers)
    if response.status_code in (401, 403):
        return ["SUPABASE_SERVICE_ROLE_KEY is not one that the project takes."]
    response.raise_for_status()
    return []


def _tell_what_cannot_be_seen(settings: Settings) -> None:
    page = f"{settings.public_url.rstrip('/')}/auth/confirm"
    console.tell(
        "What a project does not tell, look at in its dashboard: the mail templates have to lead to"
        f" {page}?token_hash={{{{ .TokenHash }}}}&type=… (signup, magiclink, recovery, invite, email_change),"
        f" and {settings.public_url.rstrip('/')} has to be the site URL and among the redirect URLs."
    )


def _plain(secret: Any) -> str:
    return secret.get_secret_value() if secret else ""

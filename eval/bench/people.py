"""Somebody with an account at a service of one's own, whose mails are files in its folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import httpx

PASSWORD = "correct horse battery"  # noqa: S105 - of nobody


@dataclass(frozen=True, slots=True)
class Person:
    email: str
    access_token: str
    organization_id: str


def sign_up(client: httpx.Client, folder: Path, email: str) -> Person:
    """Signed up, confirmed by the newest mail, logged in."""
    body = {"email": email, "password": PASSWORD, "organizationName": email}
    client.post("/api/auth/signup", json=body).raise_for_status()
    newest = max((folder / "outbox").iterdir(), key=lambda path: path.name).read_text()
    [token_hash, *_] = re.findall(r"token_hash=([\w-]+)", newest)
    verified = client.post("/api/auth/verify", json={"token_hash": token_hash, "type": "signup"})
    session = verified.raise_for_status().json()
    return Person(email, session["access_token"], session["user"]["organization_id"])

"""People with access tokens, as an identity server of the tests' own issues them."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi import FastAPI
from jwt.algorithms import ECAlgorithm

from app.auth import PATH
from app.auth.identity import IdentityServer
from app.auth.jwks import Jwks
from app.auth.verifier import TokenVerifier
from app.members import repository as members
from app.organizations.service import Organization
from pipelines.store.database import Database
from tests.app.described import assert_is_as_described

KEY_ID = "tests"


@dataclass(frozen=True)
class Somebody:
    """A person, and the header that says so."""

    id: UUID
    email: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass
class People:
    """Signs tokens whose key the service fetches, over a transport that reaches no network."""

    url: str = "http://localhost:8000"
    _key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def issuer(self) -> str:
        return f"{self.url}{PATH}"

    @asynccontextmanager
    async def identity(self) -> AsyncIterator[IdentityServer]:
        """To be given to `create_app`."""
        async with httpx.AsyncClient(transport=httpx.MockTransport(self._answer)) as http:
            verifier = TokenVerifier(Jwks(http, f"{self.issuer}/.well-known/jwks.json"), self.issuer)
            yield IdentityServer(self.url, "anon", "service", http, verifier, None)

    def somebody(self, email: str | None = None, **claims: Any) -> Somebody:
        """With a fresh token, and an address of their own where none is given."""
        user_id = uuid.uuid4()
        email = email or f"{user_id.hex[:12]}@example.com"
        return Somebody(user_id, email, self.token(user_id, email, **claims))

    def token(self, user_id: UUID, email: str, **claims: Any) -> str:
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "sub": str(user_id),
            "aud": "authenticated",
            "role": "authenticated",
            "email": email,
            "session_id": str(uuid.uuid4()),
            "iat": now,
            "exp": now + 3600,
        }
        return jwt.encode({**said, **claims}, self._key, "ES256", headers={"kid": KEY_ID})

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/health"):
            return httpx.Response(200, json={})
        if request.url.path.endswith("/settings"):
            return httpx.Response(200, json={"external": {}})
        if str(request.url) != f"{self.issuer}/.well-known/jwks.json":
            return httpx.Response(404)
        jwk = ECAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return httpx.Response(200, json={"keys": [{**jwk, "kid": KEY_ID, "alg": "ES256", "use": "sig"}]})


async def join(database: Database, organization: Organization, somebody: Somebody, role: str) -> Somebody:
    """A member from now on; as if they had come to the service before, so that no organization of their own is made."""
    now = datetime.now(UTC)
    await database.write(members.add_user, somebody.id, somebody.email, now)
    await database.write(members.add_member, organization.id, somebody.id, role, now)
    return somebody


@asynccontextmanager
async def calling_as(app: FastAPI, somebody: Somebody) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    hooks = {"response": [assert_is_as_described]}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://kb.test", headers=somebody.headers, event_hooks=hooks
    ) as client:
        yield client

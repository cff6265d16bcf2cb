"""An OpenID Connect provider on loopback that signs in at once whoever the test says; also to be run by hand."""

import asyncio
import base64
import hashlib
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

Flaw = Literal["signature", "audience", "issuer", "nonce", "expired", "algorithm"]
CLIENT_ID, CLIENT_SECRET = "kb", "kb-secret"
KEY: RSAPrivateKey = generate_private_key(public_exponent=65537, key_size=2048)
FOREIGN_KEY: RSAPrivateKey = generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class OpenIdProvider:
    """`person` is signed in next; `refusal` refuses; `flaw` spoils the ID token."""

    person: dict[str, Any] = field(default_factory=dict)
    refusal: str | None = None
    flaw: Flaw | None = None
    issuer: str = ""
    _grants: dict[str, dict[str, Any]] = field(default_factory=dict)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._metadata),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/person", self._set_person, methods=["POST"]),
            ]
        )

    def id_token(self, nonce: str | None, person: dict[str, Any] | None = None) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, **(person or self.person)}
        claims |= {"nonce": nonce} if nonce else {}
        spoilt: dict[str | None, dict[str, Any]] = {
            "audience": {"aud": "somebody-else"},
            "issuer": {"iss": "https://evil.example"},
            "nonce": {"nonce": "another"},
            "expired": {"iat": now - 7200, "exp": now - 3600},
        }
        claims |= spoilt.get(self.flaw, {})
        if self.flaw == "algorithm":
            return jwt.encode(claims, None, algorithm="none", headers={"kid": "1"})
        return jwt.encode(claims, FOREIGN_KEY if self.flaw == "signature" else KEY, "RS256", headers={"kid": "1"})

    async def _metadata(self, _request: Request) -> Response:
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": self.issuer} | {k: f"{self.issuer}/{v}" for k, v in endpoints.items()})

    async def _keys(self, _request: Request) -> Response:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        return JSONResponse({"keys": [{**public, "kid": "1", "use": "sig", "alg": "RS256"}]})

    async def _authorize(self, request: Request) -> Response:
        query = request.query_params
        answer = {"state": query["state"]}
        if self.refusal:
            answer |= {"error": self.refusal, "error_description": "the person <b>said</b> no"}
        else:
            answer["code"] = secrets.token_urlsafe(12)
            self._grants[answer["code"]] = {**query, "person": self.person}
        return RedirectResponse(f"{query['redirect_uri']}?{urlencode(answer)}", 302)

    async def _token(self, request: Request) -> Response:
        form = dict(pair.split("=", 1) for pair in (await request.body()).decode().split("&"))
        grant = self._grants.pop(form.get("code", ""), None)
        if grant is None or not self._fits(grant, form) or form.get("client_secret") != CLIENT_SECRET:
            return JSONResponse({"error": "invalid_grant"}, 400)
        tokens = {"access_token": secrets.token_urlsafe(9), "refresh_token": secrets.token_urlsafe(9)}
        return JSONResponse(
            tokens | {"token_type": "Bearer", "id_token": self.id_token(grant.get("nonce"), grant["person"])}
        )

    @staticmethod
    def _fits(grant: dict[str, Any], form: dict[str, str]) -> bool:
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == grant.get("code_challenge")

    async def _set_person(self, request: Request) -> Response:
        self.person = await request.json()
        return Response(status_code=204)


@asynccontextmanager
async def running(provider: OpenIdProvider, port: int = 0) -> AsyncIterator[OpenIdProvider]:
    server = uvicorn.Server(uvicorn.Config(provider.app(), "127.0.0.1", port, log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    provider.issuer = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield provider
    finally:
        server.should_exit = True
        await serving


async def _by_hand(port: int) -> None:
    async with running(OpenIdProvider(), port) as provider:
        print(provider.issuer)  # noqa: T201 - for whoever started it
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_by_hand(int(sys.argv[1])))

"""Signing keys (ES256) and the anon and service keys; made at the first start, kept in the database."""

import asyncio
import base64
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.auth.embedded.clock import Clock
from app.auth.embedded.database import Database
from app.auth.embedded.errors import bad_jwt
from app.auth.embedded.models import Key
from app.auth.embedded.settings import IdentitySettings

API_KEYS = "api-keys"
API_KEY_YEARS = 10
RELOAD_AFTER = timedelta(seconds=60)
RELOAD_FOR_UNKNOWN = timedelta(seconds=5)
GRACE = timedelta(minutes=15)
# Every token is one of our own making, and the time is the clock's.
SIGNATURE_ONLY: Any = {"verify_signature": True, "verify_aud": False, "verify_exp": False, "verify_iat": False}


@dataclass
class Loaded:
    """The keys as last read."""

    current: Key
    retired: list[Key]
    api: Key
    at: datetime
    private: ec.EllipticCurvePrivateKey


class Keys:
    """What signs and verifies tokens; processes that share a database share it."""

    def __init__(self, database: Database, settings: IdentitySettings, clock: Clock) -> None:
        self._database, self._settings, self._clock = database, settings, clock
        self._loaded: Loaded | None = None
        self._lock = asyncio.Lock()

    async def load(self, *, stale_after: timedelta = RELOAD_AFTER) -> None:
        """Read the keys, making them where there are none; a rotation elsewhere is seen within a minute."""
        async with self._lock:
            if self._loaded is None or self._clock() - self._loaded.at > stale_after:
                self._loaded = await self._read() or await self._create()

    async def rotate(self) -> str:
        """Sign with a new key from now on; the old ones verify until their last token has expired."""
        now, key = self._clock(), _new_signing_key(self._clock())
        async with self._database.transaction() as session:
            signing = Key.kid != API_KEYS
            await session.execute(update(Key).where(signing, Key.retired_at.is_(None)).values(retired_at=now))
            await session.execute(delete(Key).where(signing, Key.retired_at < now - self._kept()))
            session.add(key)
        self._loaded = None
        await self.load()
        return key.kid

    def public(self) -> list[dict[str, Any]]:
        """What the JWKS lists; symmetric keys never are in it."""
        loaded = self._here()
        fresh = self._clock() - self._kept()
        return [_public(k) for k in (loaded.current, *loaded.retired) if k.retired_at is None or k.retired_at > fresh]

    def sign(self, claims: dict[str, Any]) -> str:
        loaded = self._here()
        return jwt.encode(claims, loaded.private, algorithm="ES256", headers={"kid": loaded.current.kid})

    def api_key(self, role: str) -> str:
        """The anon or service key: the same string each time it is asked for."""
        key = self._here().api
        issued = int(key.created_at.timestamp())
        claims = {"iss": "kb-identity", "role": role, "iat": issued, "exp": issued + API_KEY_YEARS * 365 * 86400}
        return jwt.encode(claims, _secret(key), algorithm="HS256")

    async def verify(self, token: str) -> dict[str, Any]:
        """The claims of a token that one of our keys signed and that has not expired."""
        kid, algorithm = _header(token)
        if algorithm == "ES256" and kid not in self._known():
            await self.load(stale_after=RELOAD_FOR_UNKNOWN)
        return self._decode(token, kid, algorithm)

    def _decode(self, token: str, kid: Any, algorithm: Any) -> dict[str, Any]:
        key = self._verifier(kid, algorithm)
        try:
            claims: dict[str, Any] = jwt.decode(token, key, algorithms=[algorithm], options=SIGNATURE_ONLY)
        except jwt.PyJWTError as fault:
            raise bad_jwt("unable to verify the token") from fault
        if not isinstance(claims.get("exp"), int) or claims["exp"] <= self._clock().timestamp():
            raise bad_jwt("the token has expired")
        return claims

    def _verifier(self, kid: Any, algorithm: Any) -> Any:
        if algorithm == "HS256":
            return _secret(self._here().api)
        public = next((jwk for jwk in self.public() if jwk["kid"] == kid), None)
        if algorithm != "ES256" or public is None:
            raise bad_jwt("the token's signature is invalid")
        return ECAlgorithm.from_jwk(public)

    def _known(self) -> set[str]:
        return {jwk["kid"] for jwk in self.public()}

    def _kept(self) -> timedelta:
        return timedelta(seconds=self._settings.access_token_lifetime) + GRACE

    def _here(self) -> Loaded:
        if self._loaded is None:
            raise RuntimeError("the keys have not been loaded")
        return self._loaded

    async def _read(self) -> Loaded | None:
        async with self._database.reading() as session:
            keys = list(await session.scalars(select(Key).order_by(Key.created_at.desc())))
        api = next((k for k in keys if k.kid == API_KEYS), None)
        signing = [k for k in keys if k.kid != API_KEYS]
        current = next((k for k in signing if k.retired_at is None), None)
        if api is None or current is None:
            return None
        retired = [k for k in signing if k is not current]
        return Loaded(current, retired, api, self._clock(), _private(current))

    async def _create(self) -> Loaded:
        # Of two processes at their first start, one fails to insert the fixed kid and reads what the other has made.
        try:
            async with self._database.transaction() as session:
                await _add_missing(session, self._clock())
        except IntegrityError:
            pass
        loaded = await self._read()
        if loaded is None:
            raise RuntimeError("the keys could not be made")
        return loaded


async def _add_missing(session: AsyncSession, now: datetime) -> None:
    if await session.get(Key, API_KEYS) is None:
        secret = base64.urlsafe_b64encode(secrets.token_bytes(48)).decode()
        session.add(Key(kid=API_KEYS, jwk={"kty": "oct", "k": secret}, created_at=now))
        await session.flush()
        session.add(_new_signing_key(now))


def _new_signing_key(now: datetime) -> Key:
    kid = secrets.token_hex(16)
    jwk = json.loads(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1())))
    return Key(kid=kid, jwk={**jwk, "kid": kid, "alg": "ES256"}, created_at=now)


def _private(key: Key) -> ec.EllipticCurvePrivateKey:
    private = ECAlgorithm.from_jwk(key.jwk)
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        raise TypeError("the stored signing key is not a private one")
    return private


def _public(key: Key) -> dict[str, Any]:
    point = {name: key.jwk[name] for name in ("kty", "crv", "x", "y")}
    return {**point, "kid": key.kid, "alg": "ES256", "use": "sig", "key_ops": ["verify"]}


def _secret(key: Key) -> bytes:
    return base64.urlsafe_b64decode(key.jwk["k"])


def _header(token: str) -> tuple[Any, Any]:
    if len(token) > 8192:
        raise bad_jwt("the token is too long")
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError as fault:
        raise bad_jwt("the token is malformed") from fault
    return header.get("kid"), header.get("alg")

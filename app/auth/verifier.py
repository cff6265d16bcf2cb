"""Access tokens, verified here: no request waits for the identity server."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import jwt

from app.auth.jwks import Jwks
from app.errors import Unauthorized
from app.organizations.service import checked_name
from app.principal import Person
from pipelines.lru_cache import LruCache

AUDIENCE = "authenticated"
LEEWAY = 10
"""Seconds by which clocks may differ."""
LONGEST_LIFE = 24 * 3600
LONGEST_TOKEN = 8192
MOST_KEPT = 1_024
"""Tokens whose signature is not looked at again, of up to LONGEST_TOKEN characters each."""
UNWANTED = ("crit", "jku", "jwk", "x5u", "x5c")
"""Header fields by which a token would bring its own key or rules."""


@dataclass(frozen=True, slots=True)
class _Signing:
    """What a token is verified by; without an id it is the secret."""

    id: str | None
    key: Any
    algorithm: str


class TokenVerifier:
    """Checks signature, issuer, audience, time, role, session (RFC 7519; Supabase's claims).

    `secret` is that of a project that still signs with HS256; without it such tokens are refused.
    """

    def __init__(self, keys: Jwks, issuer: str, secret: str | None = None) -> None:
        self._keys = keys
        self._issuer = issuer
        self._secret = secret
        self._verified: LruCache[str, tuple[_Signing, Person]] = LruCache(MOST_KEPT)

    async def verify(self, token: str) -> Person:
        """Raises Unauthorized, or IdentityUnavailable when there are no keys to go by."""
        if person := await self._known(token):
            return person
        if len(token) > LONGEST_TOKEN:
            raise Unauthorized
        try:
            signing = await self._signing(jwt.get_unverified_header(token))
            claims = jwt.decode(
                token,
                signing.key,
                algorithms=[signing.algorithm],
                audience=AUDIENCE,
                issuer=self._issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
            person = _person(claims, token)
        except (jwt.PyJWTError, KeyError, ValueError, TypeError, OverflowError):
            raise Unauthorized from None
        self._verified.put(token, (signing, person))
        return person

    async def _known(self, token: str) -> Person | None:
        """Verified before, by a key that is still good; time alone can have changed what a token is worth."""
        if (known := self._verified.get(token)) is None:
            return None
        signing, person = known
        if signing.id is not None:
            key = await self._keys.key(signing.id)
            if key is None or key.key is not signing.key:
                return None
        return person if person.expires_at.timestamp() > time.time() - LEEWAY else None

    async def _signing(self, header: dict[str, Any]) -> _Signing:
        """The key decides about the algorithm, the token has to agree."""
        if any(name in header for name in UNWANTED):
            raise ValueError("a token does not bring its own key")
        algorithm = str(header.get("alg"))
        if algorithm == "HS256" and self._secret:
            return _Signing(None, self._secret, algorithm)
        if algorithm not in ("ES256", "RS256"):
            raise ValueError("not an algorithm of ours")
        key_id = str(header["kid"])
        key = await self._keys.key(key_id)
        if key is None or key.algorithm_name != algorithm:
            raise ValueError("no key for this")
        return _Signing(key_id, key.key, algorithm)


def _person(claims: dict[str, Any], token: str) -> Person:
    if claims["role"] != AUDIENCE or claims.get("is_anonymous", False) is not False or "client_id" in claims:
        raise ValueError("not a person's token")
    if not 0 < claims["exp"] - claims["iat"] <= LONGEST_LIFE:
        raise ValueError("too long a life")
    return Person(
        user_id=UUID(str(claims["sub"])),
        session_id=UUID(str(claims["session_id"])),
        email=str(claims.get("email") or ""),
        issued_at=datetime.fromtimestamp(claims["iat"], UTC),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
        organization_name=_label(claims.get("user_metadata")),
        token=token,
    )


def _label(metadata: Any) -> str | None:
    """People write their own metadata: it is believed in nothing but what their organization is to be called."""
    name = metadata.get("organization_name") if isinstance(metadata, dict) else None
    with suppress(ValueError):
        return checked_name(name) if isinstance(name, str) else None
    return None

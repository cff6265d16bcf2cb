"""Access tokens, verified here: no request waits for the identity server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import jwt

from app.auth.jwks import Jwks
from app.errors import Unauthorized
from app.organizations.service import LONGEST_NAME
from app.principal import Person

AUDIENCE = "authenticated"
LEEWAY = 10
"""Seconds by which clocks may differ."""
LONGEST_LIFE = 24 * 3600
LONGEST_TOKEN = 8192
UNWANTED = ("crit", "jku", "jwk", "x5u", "x5c")
"""Header fields by which a token would bring its own key or rules."""


class TokenVerifier:
    """Checks signature, issuer, audience, time, role, session (RFC 7519; Supabase's claims).

    `secret` is that of a project that still signs with HS256; without it such tokens are refused.
    """

    def __init__(self, keys: Jwks, issuer: str, secret: str | None = None) -> None:
        self._keys = keys
        self._issuer = issuer
        self._secret = secret

    async def verify(self, token: str) -> Person:
        """Raises Unauthorized, or IdentityUnavailable when there are no keys to go by."""
        if len(token) > LONGEST_TOKEN:
            raise Unauthorized
        try:
            key, algorithm = await self._key(jwt.get_unverified_header(token))
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=AUDIENCE,
                issuer=self._issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
            return _person(claims, token)
        except (jwt.PyJWTError, KeyError, ValueError, TypeError, OverflowError):
            raise Unauthorized from None

    async def _key(self, header: dict[str, Any]) -> tuple[Any, str]:
        """The key decides about the algorithm, the token has to agree."""
        if any(name in header for name in UNWANTED):
            raise ValueError("a token does not bring its own key")
        algorithm = str(header.get("alg"))
        if algorithm == "HS256" and self._secret:
            return self._secret, algorithm
        if algorithm not in ("ES256", "RS256"):
            raise ValueError("not an algorithm of ours")
        key = await self._keys.key(str(header["kid"]))
        if key is None or key.algorithm_name != algorithm:
            raise ValueError("no key for this")
        return key.key, algorithm


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
    if not isinstance(name, str) or not name.strip().isprintable():
        return None
    return name.strip() if 1 <= len(name.strip()) <= LONGEST_NAME else None

"""The identity server's public keys (RFC 7517), fetched when they are needed and kept through an outage."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from jwt import PyJWK, PyJWTError

from app.errors import Unavailable

logger = logging.getLogger(__name__)

FRESH = 600.0
"""Seconds after which the keys are fetched again."""
PAUSE = 30.0
"""Seconds between two fetches at least, however many tokens name keys that nobody knows."""
STALE = 24 * 3600.0
"""Seconds for which keys are good while the identity server cannot be reached."""
TIMEOUT = 3.0
LARGEST = 64 * 1024
ALGORITHMS: Mapping[tuple[str, str | None], str] = {("EC", "P-256"): "ES256", ("RSA", None): "RS256"}
"""The one algorithm that a key of a kind is good for: a token does not choose."""
SMALLEST_RSA = 2048


class IdentityUnavailable(Unavailable):
    def __init__(self) -> None:
        super().__init__("IDENTITY_UNAVAILABLE", "The identity server cannot be reached now.", retry_after=5)


class Jwks:
    """Keys by their id. One fetch at a time, whoever asks; a failed one leaves the keys as they are."""

    def __init__(self, http: httpx.AsyncClient, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._http = http
        self._url = url
        self._clock = clock
        self._keys: dict[str, PyJWK] | None = None
        self._fetched = self._tried = -STALE
        self._turn = asyncio.Lock()

    async def key(self, key_id: str) -> PyJWK | None:
        """None for an unknown one. Raises IdentityUnavailable while there are no keys to go by."""
        if self._clock() - self._fetched >= FRESH or key_id not in (self._keys or {}):
            await self._refresh()
        if self._keys is None or self._clock() - self._fetched >= STALE:
            raise IdentityUnavailable
        return self._keys.get(key_id)

    async def _refresh(self) -> None:
        async with self._turn:
            if self._clock() - self._tried < PAUSE:
                return
            self._tried = self._clock()
            try:
                self._keys = usable(await self._fetch())
                self._fetched = self._clock()
            except (httpx.HTTPError, OSError, ValueError) as error:
                logger.warning("the identity server's keys could not be fetched: %s", type(error).__name__)
                if self._keys is None:
                    self._tried = -STALE  # nothing to go by: the next one who asks tries again

    async def _fetch(self) -> Any:
        async with asyncio.timeout(TIMEOUT), self._http.stream("GET", self._url, follow_redirects=False) as response:
            response.raise_for_status()
            content = b""
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > LARGEST:
                    raise ValueError("too large for a set of keys")
        return httpx.Response(200, content=content).json()


def usable(raw: Any) -> dict[str, PyJWK]:
    """What of a key set may verify signatures. Raises ValueError for what is no key set."""
    if not isinstance(raw, dict) or not isinstance(raw.get("keys"), list):
        raise ValueError("no set of keys")
    keys: dict[str, PyJWK] = {}
    twice = set()
    for jwk in raw["keys"]:
        if (key := _public(jwk)) is not None:
            key_id = str(jwk["kid"])
            twice |= {key_id} & keys.keys()
            keys[key_id] = key
    return {key_id: key for key_id, key in keys.items() if key_id not in twice}


def _public(jwk: Any) -> PyJWK | None:
    """None unless it is a public key for signatures of an algorithm that we take."""
    if not isinstance(jwk, dict) or not isinstance(jwk.get("kid"), str) or "d" in jwk:
        return None
    algorithm = ALGORITHMS.get((str(jwk.get("kty")), jwk.get("crv")))
    if algorithm is None or jwk.get("alg", algorithm) != algorithm or jwk.get("use", "sig") != "sig":
        return None
    try:
        key = PyJWK(jwk, algorithm)
    except PyJWTError:
        return None
    return None if algorithm == "RS256" and key.key.key_size < SMALLEST_RSA else key

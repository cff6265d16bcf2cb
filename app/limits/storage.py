"""Where limits are counted: slowapi's limiter over this process or over Redis."""

from __future__ import annotations

from typing import Any, cast

from limits.strategies import STRATEGIES
from redis.asyncio import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected
from slowapi import Limiter
from slowapi.util import get_remote_address

from app.limits.token_bucket import TokenBucketRateLimiter

STRATEGY = "token-bucket"
CONNECTIONS = 16
TIMEOUT = 1.0
"""Seconds that a request waits at most for Redis to answer."""
PATIENCE = 5.0
"""Seconds that a request waits at most for its turn."""


def make_limiter(redis_url: str | None, *, enabled: bool = True) -> Limiter:
    """A limiter with our strategy; its routes are not decorated, for its decorator runs after the body is read."""
    cast("dict[str, Any]", STRATEGIES)[STRATEGY] = TokenBucketRateLimiter
    return Limiter(
        key_func=get_remote_address,
        strategy=STRATEGY,
        storage_uri=_address(redis_url) if redis_url else "async+memory://",
        storage_options=_options(redis_url) if redis_url else {},
        enabled=enabled,
    )


def _address(redis_url: str) -> str:
    return f"async+{redis_url.replace('unix://', 'redis+unix://', 1)}"


def _options(redis_url: str) -> dict[str, Any]:
    return {"implementation": "redispy", "key_prefix": "kb", "connection_pool": _pool(redis_url)}


def _pool(redis_url: str) -> BlockingConnectionPool:
    """A crowd of requests waits for a connection: a pool that refuses one would look as if Redis were away."""
    return BlockingConnectionPool.from_url(
        redis_url,
        max_connections=CONNECTIONS,
        timeout=PATIENCE,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        retry=Retry(NoBackoff(), 1, (Disconnected,)),  # a connection that Redis has closed is opened again
    )


async def close(limiter: Limiter) -> None:
    """Ends the connections to Redis, if there are any."""
    bridge = getattr(limiter.limiter.storage, "bridge", None)
    if bridge is not None:
        await bridge.get_connection().connection_pool.aclose()

"""The moving window of the `limits` library, with hits that can be taken back."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, cast

from limits import RateLimitItem
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.storage.redis.redispy import RedispyBridge
from limits.aio.strategies import MovingWindowRateLimiter
from redis.asyncio import Redis

from app.limits.readings import Reading


@dataclass(frozen=True, slots=True)
class Taken:
    """What the window says, and when the hit was that may be taken back."""

    reading: Reading
    stamp: float | None = None


class RollingWindow(MovingWindowRateLimiter):
    """Admits an item's amount in every period of its length."""

    async def take(self, item: RateLimitItem, *identifiers: str) -> Taken:
        key = item.key_for(*identifiers)
        stamp = await self._hit(item, key)
        reading = _reading(item, await self._stamps(item, key), admitted=stamp is not None)
        return Taken(reading, stamp)

    async def look(self, item: RateLimitItem, *identifiers: str) -> Reading:
        """Takes nothing."""
        return _reading(item, await self._stamps(item, item.key_for(*identifiers)))

    async def give_back(self, item: RateLimitItem, stamp: float, *identifiers: str) -> Reading:
        """Removes the one hit that was made at the moment of the stamp."""
        key = item.key_for(*identifiers)
        if isinstance(self.storage, MemoryStorage):
            _remove(self.storage, key, stamp)
        else:
            await self._remove_in_redis(key, stamp)
        return await self.look(item, *identifiers)

    async def _hit(self, item: RateLimitItem, key: str) -> float | None:
        if isinstance(self.storage, MemoryStorage):
            acquired = await self.storage.acquire_entry(key, item.amount, item.get_expiry())
            return self.storage.events[key][0].atime if acquired else None
        stamp = time.time()  # given by us, as the library keeps to itself which one it gave
        arguments = [stamp, item.amount, item.get_expiry(), 1]
        acquired = await self._bridge.lua_acquire_moving_window([self._bridge.prefixed_key(key)], arguments)
        return stamp if acquired else None

    async def _stamps(self, item: RateLimitItem, key: str) -> list[float]:
        """Of the hits that count, the newest first."""
        since = time.time() - item.get_expiry()
        if isinstance(self.storage, MemoryStorage):
            stamps = [entry.atime for entry in self.storage.events.get(key, [])]
        else:
            stamps = [float(entry) for entry in await self._entries(key)]
        return [stamp for stamp in stamps if stamp >= since]

    async def _entries(self, key: str) -> list[bytes]:
        found = await cast("Awaitable[Any]", self._redis.lrange(self._bridge.prefixed_key(key), 0, -1))
        return cast("list[bytes]", found)

    async def _remove_in_redis(self, key: str, stamp: float) -> None:
        for entry in await self._entries(key):
            if float(entry) == stamp:
                await cast("Awaitable[Any]", self._redis.lrem(self._bridge.prefixed_key(key), 1, entry.decode()))
                return

    @property
    def _bridge(self) -> RedispyBridge:
        return cast("RedispyBridge", cast("RedisStorage", self.storage).bridge)

    @property
    def _redis(self) -> Redis:
        return cast("Redis", self._bridge.get_connection())


def _remove(storage: MemoryStorage, key: str, stamp: float) -> None:
    entries = storage.events.get(key, [])
    for index, entry in enumerate(entries):
        if entry.atime == stamp:
            del entries[index]
            return


def _reading(item: RateLimitItem, stamps: list[float], admitted: bool = True) -> Reading:
    now, period = time.time(), item.get_expiry()
    newest, oldest = (stamps[0], stamps[-1]) if stamps else (now - period, now - period)
    return Reading(
        limit=item.amount,
        remaining=max(0, item.amount - len(stamps)),
        reset=math.ceil(newest + period),
        retry_after=max(1, math.floor(oldest + period - now) + 1),
        admitted=admitted,
    )

"""Where the hits of rolling windows are kept: in this process, or in Redis for all processes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from limits.aio.storage import RedisStorage
from limits.aio.storage.redis.redispy import RedispyBridge
from redis.asyncio import Redis

from app.limits.kept import Kept


class WindowStore(Protocol):
    async def hit(self, key: str, most: int, period: float) -> float | None:
        """The hit's stamp, unless there are `most` in the period already; one step, whoever else is at it."""

    async def stamps(self, key: str) -> Sequence[float]:
        """The newest first; there may be some that count no more."""

    async def remove(self, key: str, stamp: float) -> None:
        """Takes back one hit of that moment, if it is still there."""


@dataclass(slots=True)
class _Window:
    period: float
    stamps: deque[float] = field(default_factory=deque)

    def forget(self, now: float) -> None:
        """What is past, and what a clock that was put back has left in the future."""
        while self.stamps and self.stamps[-1] < now - self.period:
            self.stamps.pop()
        while self.stamps and self.stamps[0] > now:
            self.stamps.popleft()


class MemoryWindows:
    """The windows of one process.

    Not the storage of `limits`: beside each hit it goes through the windows of all keys, with a thread hop for each.
    """

    def __init__(self) -> None:
        self._kept: Kept[_Window] = Kept()

    async def hit(self, key: str, most: int, period: float) -> float | None:
        now = time.time()
        window = self._kept.setdefault(key, _Window(period))
        window.forget(now)
        if len(window.stamps) >= most:
            return None
        window.stamps.appendleft(now)
        self._kept.sweep(lambda one: bool(one.stamps) and one.stamps[0] >= now - one.period)
        return now

    async def stamps(self, key: str) -> Sequence[float]:
        return self._kept[key].stamps if key in self._kept else ()

    async def remove(self, key: str, stamp: float) -> None:
        if key in self._kept and stamp in self._kept[key].stamps:
            self._kept[key].stamps.remove(stamp)


class RedisWindows:
    """The windows of all processes that share a Redis, in the library's own format."""

    def __init__(self, storage: RedisStorage) -> None:
        self._bridge = cast("RedispyBridge", storage.bridge)
        self._redis = cast("Redis", self._bridge.get_connection())

    async def hit(self, key: str, most: int, period: float) -> float | None:
        stamp = time.time()  # given by us, as the library keeps to itself which one it gave
        acquired = await self._bridge.lua_acquire_moving_window([self._name(key)], [stamp, most, period, 1])
        return stamp if acquired else None

    async def stamps(self, key: str) -> Sequence[float]:
        return [float(entry) for entry in await self._entries(key)]

    async def remove(self, key: str, stamp: float) -> None:
        for entry in await self._entries(key):
            if float(entry) == stamp:
                await cast("Awaitable[Any]", self._redis.lrem(self._name(key), 1, entry.decode()))
                return

    async def _entries(self, key: str) -> list[bytes]:
        found = await cast("Awaitable[Any]", self._redis.lrange(self._name(key), 0, -1))
        return cast("list[bytes]", found)

    def _name(self, key: str) -> str:
        return self._bridge.prefixed_key(key)

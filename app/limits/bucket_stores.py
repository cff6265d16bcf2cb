"""Where the debts of buckets are kept: in this process, or in Redis for all processes."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Protocol, cast

from limits.aio.storage import RedisStorage
from limits.aio.storage.redis.redispy import RedispyBridge
from redis.asyncio import Redis

from app.limits.clock import Clock, system_clock
from app.limits.kept import Kept

CHANGE = """
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local added, capacity, refill = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kept = redis.call('HMGET', KEYS[1], 'debt', 'at')
local at = tonumber(kept[2] or now)
now = math.max(now, at)
local debt = math.max(0, tonumber(kept[1] or 0) - (now - at) * refill)
local admitted = added <= 0 or debt + added <= capacity
if admitted and added ~= 0 then
    debt = math.max(0, debt + added)
    redis.call('HSET', KEYS[1], 'debt', string.format('%.0f', debt), 'at', string.format('%.0f', now))
    redis.call('PEXPIRE', KEYS[1], math.ceil(debt / refill / 1000) + 60000)
end
return {admitted and 1 or 0, string.format('%.0f', debt), string.format('%.0f', now)}
"""
"""Without a time of the caller's it goes by Redis' own clock, which all processes share."""


@dataclass(frozen=True, slots=True)
class BucketState:
    """What a bucket owes at a moment, and whether the last change was made."""

    debt: int
    at: int
    admitted: bool = True


class BucketStore(Protocol):
    async def change(self, key: str, added: int, capacity: int, refill: int) -> BucketState:
        """Adds to a debt, unless it would then be over the capacity; one step, whoever else is at it."""

    async def clear(self, key: str) -> None:
        """Fills the bucket."""


class MemoryBuckets:
    """The buckets of one process."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or system_clock
        self._lock = Lock()
        self._kept: Kept[tuple[BucketState, int]] = Kept()

    async def change(self, key: str, added: int, capacity: int, refill: int) -> BucketState:
        with self._lock:
            state = self._changed(self._now(key, refill), added, capacity)
            if state.admitted and added:
                self._kept[key] = state, refill
                self._kept.sweep(lambda kept: _paid(*kept, state.at) > 0)
            return state

    async def clear(self, key: str) -> None:
        with self._lock:
            self._kept.pop(key, None)

    def _now(self, key: str, refill: int) -> BucketState:
        now = self._clock()
        if key not in self._kept:
            return BucketState(0, now)
        state, _ = self._kept[key]
        now = max(now, state.at)
        return BucketState(_paid(state, refill, now), now)

    @staticmethod
    def _changed(state: BucketState, added: int, capacity: int) -> BucketState:
        if added > 0 and state.debt + added > capacity:
            return BucketState(state.debt, state.at, admitted=False)
        return BucketState(max(0, state.debt + added), state.at)


class RedisBuckets:
    """The buckets of all processes that share a Redis."""

    def __init__(self, storage: RedisStorage, clock: Clock | None = None) -> None:
        self._bridge = cast("RedispyBridge", storage.bridge)
        self._clock = clock
        self._redis = cast("Redis", self._bridge.get_connection())
        self._script = self._redis.register_script(CHANGE)

    async def change(self, key: str, added: int, capacity: int, refill: int) -> BucketState:
        now = self._clock() if self._clock else ""
        admitted, debt, at = await self._script([self._bridge.prefixed_key(key)], [now, added, capacity, refill])
        return BucketState(int(debt), int(at), bool(admitted))

    async def clear(self, key: str) -> None:
        await self._redis.delete(self._bridge.prefixed_key(key))


def _paid(state: BucketState, refill: int, now: int) -> int:
    """What is left of a debt."""
    return max(0, state.debt - (now - state.at) * refill)

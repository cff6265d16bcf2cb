"""A token bucket as a strategy of the `limits` library.

What is kept of a bucket is its debt: how much is missing from it, counted so that a token is the length of the
period in microseconds and each microsecond pays back the amount of the period. Everything is a whole number.
"""

from __future__ import annotations

from dataclasses import dataclass

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import RateLimiter
from limits.storage import StorageTypes
from limits.util import WindowStats

from app.limits.bucket_stores import BucketStore, MemoryBuckets, RedisBuckets
from app.limits.clock import MICROSECONDS, Clock, round_up
from app.limits.readings import Reading
from app.plans import Rate


class BucketItem(RateLimitItemPerMinute):
    """A limit per minute that holds more than a minute's worth."""

    __slots__ = ("burst",)

    def __init__(self, rate: Rate, namespace: str) -> None:
        super().__init__(rate.per_minute, namespace=namespace)
        self.burst = rate.burst


@dataclass(frozen=True, slots=True)
class _Scale:
    """The numbers of an item in units of debt."""

    token: int
    burst: int
    refill: int
    """Paid back in a microsecond."""

    @classmethod
    def of(cls, item: RateLimitItem) -> _Scale:
        burst = item.burst if isinstance(item, BucketItem) else item.amount
        return cls(item.get_expiry() * MICROSECONDS, burst, item.amount)

    @property
    def capacity(self) -> int:
        return self.burst * self.token

    def seconds(self, debt: int) -> int:
        """How long paying back takes, rounded up."""
        return round_up(debt, self.refill * MICROSECONDS)


class TokenBucketRateLimiter(RateLimiter):
    """Holds as many tokens as the burst of an item, and fills at its amount a period."""

    def __init__(self, storage: StorageTypes, clock: Clock | None = None) -> None:
        super().__init__(storage)
        self._store = _store(storage, clock)

    async def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return (await self.take(item, *identifiers, cost=cost)).admitted

    async def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return (await self.look(item, *identifiers)).remaining >= cost

    async def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        reading = await self.look(item, *identifiers)
        return WindowStats(reading.reset, reading.remaining)

    async def clear(self, item: RateLimitItem, *identifiers: str) -> None:
        await self._store.clear(item.key_for(*identifiers))

    async def take(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> Reading:
        """Takes all of the cost or nothing."""
        return await self._change(item, identifiers, cost)

    async def look(self, item: RateLimitItem, *identifiers: str) -> Reading:
        """Takes nothing."""
        return await self._change(item, identifiers, 0)

    async def give_back(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> Reading:
        """Never fills the bucket over its burst."""
        return await self._change(item, identifiers, -cost)

    async def _change(self, item: RateLimitItem, identifiers: tuple[str, ...], cost: int) -> Reading:
        scale = _Scale.of(item)
        added = cost * scale.token
        state = await self._store.change(item.key_for(*identifiers), added, scale.capacity, scale.refill)
        missing = 0 if state.admitted else state.debt + added - scale.capacity
        return Reading(
            limit=scale.burst,
            remaining=max(0, scale.capacity - state.debt) // scale.token,
            reset=round_up(state.at * scale.refill + state.debt, scale.refill * MICROSECONDS),
            retry_after=max(1, scale.seconds(missing)),
            admitted=state.admitted,
        )


def _store(storage: StorageTypes, clock: Clock | None) -> BucketStore:
    if isinstance(storage, RedisStorage):
        return RedisBuckets(storage, clock)
    return MemoryBuckets(clock)

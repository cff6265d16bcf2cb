"""A window that moves with the time, with hits that can be taken back."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from limits import RateLimitItem
from limits.aio.storage import RedisStorage
from limits.storage import StorageTypes

from app.limits.readings import Reading
from app.limits.window_stores import MemoryWindows, RedisWindows, WindowStore


@dataclass(frozen=True, slots=True)
class Taken:
    """What the window says, and when the hit was that may be taken back."""

    reading: Reading
    stamp: float | None = None


class RollingWindow:
    """Admits an item's amount in every period of its length."""

    def __init__(self, storage: StorageTypes) -> None:
        self._store: WindowStore = RedisWindows(storage) if isinstance(storage, RedisStorage) else MemoryWindows()

    async def take(self, item: RateLimitItem, *identifiers: str) -> Taken:
        stamp = await self._store.hit(item.key_for(*identifiers), item.amount, item.get_expiry())
        return Taken(await self._reading(item, identifiers, admitted=stamp is not None), stamp)

    async def look(self, item: RateLimitItem, *identifiers: str) -> Reading:
        """Takes nothing."""
        return await self._reading(item, identifiers)

    async def give_back(self, item: RateLimitItem, stamp: float, *identifiers: str) -> Reading:
        """Removes the one hit that was made at the moment of the stamp."""
        await self._store.remove(item.key_for(*identifiers), stamp)
        return await self.look(item, *identifiers)

    async def _reading(self, item: RateLimitItem, identifiers: tuple[str, ...], *, admitted: bool = True) -> Reading:
        now, period = time.time(), item.get_expiry()
        kept = await self._store.stamps(item.key_for(*identifiers))
        stamps = [stamp for stamp in kept if stamp >= now - period]
        newest, oldest = (stamps[0], stamps[-1]) if stamps else (now - period, now - period)
        return Reading(
            limit=item.amount,
            remaining=max(0, item.amount - len(stamps)),
            reset=math.ceil(newest + period),
            retry_after=max(1, math.floor(oldest + period - now) + 1),
            admitted=admitted,
        )

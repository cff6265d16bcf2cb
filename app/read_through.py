"""What the database says, at the price of a dictionary for what was asked for a moment ago."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from pipelines.lru_cache import LruCache

KEPT = 5.0
"""Seconds after which a change in another process holds."""
MOST_KEPT = 10_000

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadThroughCache(Generic[Key, Value]):
    """Keeps what is read, but for None: who asks for what is not there must not push out what is."""

    def __init__(self) -> None:
        self._found: LruCache[Key, tuple[float, Value]] = LruCache(MOST_KEPT)
        self._forgotten = 0

    async def get(self, key: Key, read: Callable[[Key], Awaitable[Value | None]]) -> Value | None:
        now = time.monotonic()
        if (kept := self._found.get(key)) and now - kept[0] < KEPT:
            return kept[1]
        self._found.pop(key)
        before = self._forgotten
        value = await read(key)
        if value is not None and before == self._forgotten:  # else what was read may be older than what was done
            self._found.put(key, (now, value))
        return value

    def forget(self, key: Key) -> None:
        """Asks again: it was changed in this process."""
        self._found.pop(key)
        self._forgotten += 1

    def forget_all(self) -> None:
        self._found.clear()
        self._forgotten += 1

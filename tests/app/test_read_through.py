"""What the database says, kept for a moment."""

from __future__ import annotations

import asyncio

import pytest

from app import read_through
from app.read_through import ReadThroughCache


class Table:
    """A table that counts how often it is asked."""

    def __init__(self, **rows: int) -> None:
        self.rows = rows
        self.asked = 0

    async def read(self, key: str) -> int | None:
        self.asked += 1
        return self.rows.get(key)


async def test_what_was_found_is_not_asked_for_again() -> None:
    """Until it is forgotten, alone or with all."""
    table, cache = Table(a=1), ReadThroughCache[str, int]()
    assert [await cache.get("a", table.read) for _ in range(2)] == [1, 1]
    assert table.asked == 1
    cache.forget("a")
    await cache.get("a", table.read)
    cache.forget_all()
    await cache.get("a", table.read)
    assert table.asked == 3


async def test_it_is_kept_for_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process's change holds soon."""
    table, cache = Table(a=1), ReadThroughCache[str, int]()
    await cache.get("a", table.read)
    table.rows["a"] = 2
    assert await cache.get("a", table.read) == 1
    assert read_through.KEPT <= 5
    monkeypatch.setattr(read_through, "KEPT", 0)
    assert await cache.get("a", table.read) == 2


async def test_what_is_not_there_pushes_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever guesses keys does not empty the cache."""
    monkeypatch.setattr(read_through, "MOST_KEPT", 1)
    table, cache = Table(a=1), ReadThroughCache[str, int]()
    await cache.get("a", table.read)
    assert [await cache.get(guess, table.read) for guess in "xyz"] == [None] * 3
    await cache.get("a", table.read)
    assert table.asked == 4


async def test_what_was_read_before_a_change_is_not_kept() -> None:
    """A change that is made while the old is being read is seen by the next who asks."""
    table, cache = Table(a=1), ReadThroughCache[str, int]()
    read, changed = asyncio.Event(), asyncio.Event()

    async def slowly(key: str) -> int | None:
        value = await table.read(key)
        read.set()
        await changed.wait()
        return value

    first = asyncio.create_task(cache.get("a", slowly))
    await read.wait()
    table.rows["a"] = 2
    cache.forget("a")
    changed.set()
    assert await first == 1
    assert await cache.get("a", table.read) == 2

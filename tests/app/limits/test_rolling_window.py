"""The rolling minute, and hits taken back from it."""

import asyncio
import time
from uuid import uuid4

import pytest
from limits import RateLimitItemPerMinute
from slowapi import Limiter

from app.limits.kept import SWEPT_FROM
from app.limits.rolling_window import RollingWindow
from app.limits.window_stores import MemoryWindows

ITEM = RateLimitItemPerMinute(3, namespace="tests")


@pytest.fixture
def window(limiter: Limiter) -> RollingWindow:
    return RollingWindow(limiter.limiter.storage)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in a list, so that a test can change it."""
    value = [time.time()]
    monkeypatch.setattr(time, "time", lambda: value[0])
    return value


async def test_every_minute_admits_the_amount(window: RollingWindow, now: list[float]) -> None:
    key, start = uuid4().hex, now[0]
    for second, admitted, remaining in ((0, True, 2), (20, True, 1), (40, True, 0), (59, False, 0), (61, True, 0)):
        now[0] = start + second
        taken = await window.take(ITEM, key)
        assert (taken.reading.admitted, taken.reading.remaining) == (admitted, remaining)


async def test_a_refused_hit_may_pass_after_what_it_was_told(window: RollingWindow, now: list[float]) -> None:
    key = uuid4().hex
    for _ in range(3):
        await window.take(ITEM, key)
        now[0] += 10
    refused = (await window.take(ITEM, key)).reading
    assert refused.retry_after in (30, 31)
    now[0] += refused.retry_after
    assert (await window.take(ITEM, key)).reading.admitted


async def test_it_is_full_again_a_minute_after_the_last_hit(window: RollingWindow, now: list[float]) -> None:
    key = uuid4().hex
    await window.take(ITEM, key)
    now[0] += 10
    reading = (await window.take(ITEM, key)).reading
    assert now[0] + 60 <= reading.reset < now[0] + 61


async def test_the_very_hit_is_taken_back(window: RollingWindow, now: list[float]) -> None:
    key, start = uuid4().hex, now[0]
    first = await window.take(ITEM, key)
    now[0] = start + 30
    await window.take(ITEM, key)
    assert first.stamp is not None
    assert (await window.give_back(ITEM, first.stamp, key)).remaining == 2
    now[0] = start + 75
    assert (await window.look(ITEM, key)).remaining == 2, "the one of second 30 still counts"


async def test_200_parallel_hits_admit_exactly_the_amount(window: RollingWindow) -> None:
    key, item = uuid4().hex, RateLimitItemPerMinute(20)
    taken = await asyncio.gather(*(window.take(item, key) for _ in range(200)))
    assert sum(one.reading.admitted for one in taken) == 20


async def test_windows_without_hits_are_forgotten(now: list[float]) -> None:
    """Whoever has not asked for a period, or whose hit was taken back, takes no memory for ever."""
    windows = MemoryWindows()
    for number in range(SWEPT_FROM - 2):
        await windows.hit(str(number), 1, 60)
    now[0] += 61
    stamp = await windows.hit("taken back", 1, 60)
    assert stamp is not None
    await windows.remove("taken back", stamp)
    await windows.hit("last", 1, 60)
    assert list(windows._kept) == ["last"]


async def test_a_hit_leaves_no_work_behind(window: RollingWindow) -> None:
    """What it costs does not grow with how many others have asked: the library's own store goes through all of them."""
    for _ in range(20):
        await window.take(ITEM, uuid4().hex)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_clock_that_was_put_back_blocks_nobody(now: list[float]) -> None:
    """Of one process: hits of a later time than now are forgotten."""
    windows, start = MemoryWindows(), now[0]
    now[0] = start + 3600
    assert [bool(await windows.hit("key", 2, 60)) for _ in range(3)] == [True, True, False]
    now[0] = start
    assert await windows.hit("key", 2, 60)

"""The token bucket against a model in fractions, and at its edges."""

import asyncio
import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limits import RateLimitItemPerSecond
from limits.aio.strategies import RateLimiter
from slowapi import Limiter

from app.limits.bucket_stores import MemoryBuckets
from app.limits.kept import SWEPT_FROM
from app.limits.readings import Reading
from app.limits.storage import close, make_limiter
from app.limits.token_bucket import BucketItem, TokenBucketRateLimiter
from app.plans import Rate
from tests.app.limits.conftest import START, FakeClock


@dataclass
class Model:
    """A bucket as one would write it down without computers."""

    rate: Rate
    tokens: Fraction
    at: int = START

    def wait(self, now: int) -> None:
        self.tokens = min(Fraction(self.rate.burst), self.tokens + self._refill * (now - self.at))
        self.at = now

    def change(self, cost: int) -> Reading:
        missing = cost - self.tokens
        admitted = cost <= 0 or missing <= 0
        if admitted:
            self.tokens = min(Fraction(self.rate.burst), self.tokens - cost)
        reset = math.ceil((self.at + (self.rate.burst - self.tokens) / self._refill) / 1_000_000)
        retry_after = 1 if admitted else max(1, math.ceil(missing / self._refill / 1_000_000))
        return Reading(self.rate.burst, max(0, math.floor(self.tokens)), reset, retry_after, admitted)

    @property
    def _refill(self) -> Fraction:
        return Fraction(self.rate.per_minute, 60_000_000)


RATES = st.builds(Rate, per_minute=st.integers(1, 2_000), burst=st.integers(1, 3_000))
WAITS = st.one_of(st.integers(0, 200), st.integers(0, 10_000_000), st.integers(0, 200_000_000))
COSTS = st.one_of(st.integers(-3, 5), st.integers(-3_000, 3_000))
STEPS = st.lists(st.tuples(WAITS, COSTS), max_size=40)


@given(rate=RATES, steps=STEPS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_it_is_the_model(limiter: Limiter, rate: Rate, steps: list[tuple[int, int]]) -> None:
    clock, item, key = FakeClock(), BucketItem(rate, "tests"), uuid4().hex
    bucket = TokenBucketRateLimiter(limiter.limiter.storage, clock)
    model = Model(rate, Fraction(rate.burst))
    for wait, cost in steps:
        clock.now += wait
        model.wait(clock.now)
        reading = await (bucket.take(item, key, cost=cost) if cost > 0 else bucket.give_back(item, key, cost=-cost))
        assert reading == model.change(cost)
    assert await bucket.look(item, key) == model.change(0)


@given(rate=RATES, waits=st.lists(WAITS, max_size=60))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_span_of_time_admits_more_than_the_burst_and_what_it_refills(
    limiter: Limiter, rate: Rate, waits: list[int]
) -> None:
    clock, item, key = FakeClock(), BucketItem(rate, "tests"), uuid4().hex
    bucket = TokenBucketRateLimiter(limiter.limiter.storage, clock)
    admitted: list[int] = []
    for wait in waits:
        clock.now += wait
        admitted += [clock.now] if await bucket.hit(item, key) else []
    for index, first in enumerate(admitted):
        for number, last in enumerate(admitted[index:], start=1):
            assert number * 60_000_000 <= rate.burst * 60_000_000 + (last - first) * rate.per_minute


async def test_200_parallel_requests_at_the_edge_admit_exactly_the_capacity(limiter: Limiter) -> None:
    item, key = BucketItem(Rate(per_minute=1, burst=70), "tests"), uuid4().hex
    bucket = limiter.limiter
    outcomes = await asyncio.gather(*(bucket.hit(item, key) for _ in range(200)))
    assert sum(outcomes) == 70


async def test_a_refused_request_may_pass_after_what_it_was_told(limiter: Limiter, clock: FakeClock) -> None:
    bucket = TokenBucketRateLimiter(limiter.limiter.storage, clock)
    item, key = BucketItem(Rate(per_minute=10, burst=2), "tests"), uuid4().hex
    assert [await bucket.hit(item, key) for _ in range(3)] == [True, True, False]
    refused = await bucket.take(item, key)
    assert refused.retry_after == 6
    clock.advance(5.999999)
    assert not await bucket.hit(item, key)
    clock.advance(0.000001)
    assert await bucket.hit(item, key)


async def test_it_is_a_strategy_of_the_library(limiter: Limiter, clock: FakeClock) -> None:
    bucket = TokenBucketRateLimiter(limiter.limiter.storage, clock)
    item, key = RateLimitItemPerSecond(3), uuid4().hex
    assert isinstance(bucket, RateLimiter)
    assert await bucket.hit(item, key, cost=3)
    assert not await bucket.test(item, key)
    assert await bucket.get_window_stats(item, key) == (START // 1_000_000 + 1, 0)
    await bucket.clear(item, key)
    assert await bucket.test(item, key, cost=3)


async def test_a_clock_that_goes_back_gives_nothing(limiter: Limiter, clock: FakeClock) -> None:
    bucket = TokenBucketRateLimiter(limiter.limiter.storage, clock)
    item, key = BucketItem(Rate(per_minute=60, burst=1), "tests"), uuid4().hex
    assert await bucket.hit(item, key)
    clock.advance(-3600)
    assert not await bucket.hit(item, key)
    assert (await bucket.take(item, key)).retry_after == 1


async def test_full_buckets_are_forgotten(clock: FakeClock) -> None:
    buckets = MemoryBuckets(clock)
    for number in range(SWEPT_FROM - 1):
        await buckets.change(str(number), 60, 60, 1)
    clock.advance(1)
    await buckets.change("last", 60, 60, 1)
    assert len(buckets._kept) == 1


async def test_two_clients_of_one_redis_share_a_bucket(redis_url: str) -> None:
    item, key = BucketItem(Rate(per_minute=1, burst=30), "tests"), uuid4().hex
    one, two = make_limiter(redis_url), make_limiter(redis_url)
    outcomes = await asyncio.gather(*(each.limiter.hit(item, key) for each in (one, two) for _ in range(50)))
    await asyncio.gather(close(one), close(two))
    assert sum(outcomes) == 30


ANOTHER_PROCESS = """
import asyncio, sys
from app.plans import Rate
from app.limits.storage import make_limiter
from app.limits.token_bucket import BucketItem

async def main(url, key):
    item, bucket = BucketItem(Rate(per_minute=1, burst=60), "tests"), make_limiter(url).limiter
    print(sum(await asyncio.gather(*(bucket.hit(item, key) for _ in range(100)))))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.timeout(60)
async def test_two_processes_on_one_redis_share_a_bucket(redis_url: str) -> None:
    key = uuid4().hex
    counts = await asyncio.gather(*(_admitted_elsewhere(redis_url, key) for _ in range(2)))
    assert sum(counts) == 60


async def _admitted_elsewhere(redis_url: str, key: str) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ANOTHER_PROCESS, redis_url, key, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    return int(said)

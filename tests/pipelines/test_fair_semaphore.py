"""Turns are shared out between organizations, whoever leaves and whenever."""

import asyncio
import random
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.fair_semaphore import FairSemaphore

A, B, C = UUID(int=0xA), UUID(int=0xB), UUID(int=0xC)
WORK = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()), max_size=30)
"""For each caller: whose it is, how long its work takes, and whether it is cancelled at some time."""


class Watched:
    """Work under turns that notes who began, and that checks what has to hold all the time."""

    def __init__(self, places: int) -> None:
        self.turns = FairSemaphore(places)
        self.places = places
        self.running: list[UUID] = []
        self.began: list[tuple[UUID, int]] = []

    async def work(self, whose: UUID, number: int, steps: int) -> None:
        async with self.turns.of(whose):
            self.running.append(whose)
            self.began.append((whose, number))
            assert len(self.running) <= self.places
            assert self.running.count(whose) <= max(1, self.places - 1)
            try:
                for _ in range(steps):
                    await asyncio.sleep(0)
            finally:
                self.running.remove(whose)


async def steps(number: int = 3) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


@settings(max_examples=200, deadline=None)
@given(work=WORK, places=st.integers(1, 4), seed=st.integers(0, 1000))
def test_turns(work: list[tuple[int, int, bool]], places: int, seed: int) -> None:
    """Never more than the places, never all for one; all who stay get their turn, an organization's in order."""
    asyncio.run(everybody(work, places, random.Random(seed)))


async def everybody(work: list[tuple[int, int, bool]], places: int, rng: random.Random) -> None:
    watched = Watched(places)
    tasks = []
    for number, (whose, long, _) in enumerate(work):
        tasks.append(asyncio.create_task(watched.work(UUID(int=whose + 1), number, long)))
        await steps(rng.randrange(3))
    leaving = [task for task, (*_, leaves) in zip(tasks, work, strict=True) if leaves]
    rng.shuffle(leaving)
    for task in leaving:
        task.cancel()
        await steps(rng.randrange(3))
    async with asyncio.timeout(5):
        await asyncio.gather(*tasks, return_exceptions=True)
    assert all(task.cancelled() or task.exception() is None for task in tasks)
    assert {n for n, (*_, leaves) in enumerate(work) if not leaves} <= {number for _, number in watched.began}
    for one in {whose for whose, _ in watched.began}:
        own = [number for whose, number in watched.began if whose == one]
        # Of two turns given in one moment either may begin first.
        assert places > 2 or own == sorted(own)
    await all_places_are_free(watched.turns, places)


async def all_places_are_free(turns: FairSemaphore, places: int) -> None:
    """As many strangers as there are places come in at once."""
    inside = asyncio.Barrier(places)

    async def come(whose: UUID) -> None:
        async with turns.of(whose):
            await inside.wait()

    async with asyncio.timeout(5):
        await asyncio.gather(*(come(UUID(int=100 + number)) for number in range(places)))


async def test_round_robin() -> None:
    """Those that wait are taken in turn, however much one of them has asked for before."""
    watched = Watched(1)
    tasks = [asyncio.create_task(watched.work(whose, 0, 1)) for whose in (B, B, B, B, A, A, C)]
    await asyncio.gather(*tasks)
    assert [whose for whose, _ in watched.began] == [B, B, A, C, B, A, B]


async def test_another_organization_finds_a_place() -> None:
    """However much one organization has under way, another one's work begins at once."""
    watched = Watched(2)
    tasks = [asyncio.create_task(watched.work(B, number, 10_000)) for number in range(4)]
    await steps()
    tasks.append(asyncio.create_task(watched.work(A, 0, 0)))
    await steps()
    assert watched.began == [(B, 0), (A, 0)]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_cancelled_between_being_given_a_turn_and_taking_it() -> None:
    """A turn given to somebody who is cancelled in the same moment goes to the next one."""
    watched = Watched(1)
    async with watched.turns.of(A):
        second, third = (asyncio.create_task(watched.work(A, number, 2)) for number in range(2))
        await steps()
    second.cancel()  # it has been given the turn, and has not run yet
    await asyncio.wait_for(third, 5)
    assert second.cancelled()
    assert watched.began == [(A, 1)]

"""Turns at something scarce, shared out between organizations instead of in the order of asking."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

Turn = asyncio.Future[None]


class FairSemaphore:
    """At most `places` at once, of which one organization leaves one free: who comes next never waits for the end of
    a single other organization's work. Those that wait are taken round robin; an organization's own turns keep their
    order."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places - 1)
        self._running: Counter[UUID] = Counter()
        self._waiting: dict[UUID, deque[Turn]] = {}
        """By organization, the one whose turn is next first."""

    @asynccontextmanager
    async def of(self, organization_id: UUID) -> AsyncIterator[None]:
        await self._take(organization_id)
        try:
            yield
        finally:
            self._give_back(organization_id)

    async def _take(self, organization_id: UUID) -> None:
        turn: Turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(organization_id, deque()).append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(organization_id, turn)
            raise

    def _leave(self, organization_id: UUID, turn: Turn) -> None:
        """Whoever is cancelled may have been given the turn already."""
        if not turn.cancelled():
            self._give_back(organization_id)
        elif turn in (turns := self._waiting.get(organization_id, deque())):
            turns.remove(turn)
            if not turns:
                del self._waiting[organization_id]

    def _give_back(self, organization_id: UUID) -> None:
        self._free += 1
        self._running[organization_id] -= 1
        self._running += Counter()  # forgets whoever has none
        self._admit()

    def _admit(self) -> None:
        while self._free and (organization_id := self._next()):
            turns = self._waiting.pop(organization_id)
            turn = turns.popleft()
            if turns:
                self._waiting[organization_id] = turns  # now the last one
            if not turn.cancelled():
                self._free -= 1
                self._running[organization_id] += 1
                turn.set_result(None)

    def _next(self) -> UUID | None:
        return next((one for one in self._waiting if self._running[one] < self._most), None)

"""The end of the process, as the requests under way learn of it: they are answered before the server cuts them off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from app.errors import ShuttingDown

SOFT, HARD = 0.8, 0.9
"""Shares of the server's grace period after which work that can end well, and then any request, is stopped."""


class Shutdown:
    """Begun once, by the server; until then it costs a request nothing."""

    def __init__(self) -> None:
        self._begun: tuple[float, float] | None = None
        self._under_way: dict[asyncio.Timeout, float] = {}
        self._soft: list[Callable[[], None]] = []

    def on_soft(self, callback: Callable[[], None]) -> None:
        """Called when work that can end well is to end."""
        self._soft.append(callback)

    def begin(self, grace: float | None) -> None:
        """In the event loop of the requests; without an end to its grace there is nothing to be in time for."""
        if self._begun or grace is None:
            return
        loop = asyncio.get_running_loop()
        self._begun = loop.time(), grace
        for timeout, share in self._under_way.items():
            timeout.reschedule(self._deadline(share))
        for callback in self._soft:
            loop.call_at(loop.time() + SOFT * grace, callback)

    @asynccontextmanager
    async def stopping(self, share: float) -> AsyncIterator[None]:
        """What is inside is cancelled after that share of the grace period. Raises ShuttingDown then."""
        timeout = asyncio.timeout_at(self._deadline(share))
        self._under_way[timeout] = share
        try:
            async with timeout:
                yield
        except TimeoutError:
            if timeout.expired():
                raise ShuttingDown from None
            raise
        finally:
            del self._under_way[timeout]

    def _deadline(self, share: float) -> float | None:
        if self._begun is None:
            return None
        began, grace = self._begun
        return began + share * grace

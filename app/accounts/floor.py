"""How long an answer takes at least: it must not tell what is known of an address."""

from __future__ import annotations

import asyncio
import logging
import time
from asyncio import sleep
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

logger = logging.getLogger(__name__)


class Floor:
    """`seconds` lie above the slowest path; with 0 there is no floor, and everything is waited for."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Whatever happens inside, it does not end before."""
        started = time.monotonic()
        try:
            yield
        finally:
            await sleep(max(0.0, started + self._seconds - time.monotonic()))

    async def answer_at(self, work: Coroutine[Any, Any, None]) -> None:
        """Raises what the work has raised by then; what takes longer goes on behind the answer.

        So the time that a mail server takes is nobody's to see.
        """
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        async with self.held():
            done, _ = await asyncio.wait({task}, timeout=self._seconds or None)
        if done:
            task.result()
        else:
            task.add_done_callback(_tell)

    async def close(self) -> None:
        """Waits for what goes on behind answers."""
        await asyncio.gather(*self._running, return_exceptions=True)


def _tell(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.warning("a mail was not asked for after all: %s", type(error).__name__)

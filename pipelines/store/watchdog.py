"""A PostgreSQL server that answers nobody, told from a statement that takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")

SILENCE = 5.0
"""Seconds of a statement after which the server is asked whether it answers at all, and then again."""
PATIENCE = 5.0
"""Seconds that it has for that."""


class Watchdog:
    """Waits for statements as long as the server answers others.

    A limit of each statement would have to leave room for migrations, for large batches and for who waits for them.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        """`engine` opens a new connection whenever it is asked for one."""
        self._engine = engine
        self._asking: asyncio.Task[bool] | None = None

    async def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Raises OperationalError for a server that is silent, its connection given up."""
        working = asyncio.create_task(work)
        try:
            while not working.done():
                done, _ = await asyncio.wait({working}, timeout=SILENCE)
                if not done and not await self._answers():
                    break
        finally:
            if working.cancel():
                await asyncio.wait({working})
        if working.cancelled():
            raise OperationalError(None, None, TimeoutError("the server does not answer"), hide_parameters=True)
        return working.result()

    async def _answers(self) -> bool:
        """Asked once for all that wait."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        return await asyncio.shield(self._asking)

    async def _ask(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE), self._engine.connect():
                return True
        except DBAPIError as error:
            return _is_answer(error)
        except TimeoutError:
            return False


def _is_answer(error: DBAPIError) -> bool:
    """That it has no connection left is one; class 08 is the driver's own for a connection that was closed."""
    state: str | None = getattr(error.orig, "sqlstate", None)
    return state is not None and not state.startswith("08")

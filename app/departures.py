"""Work that stops when the client that it is done for has left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import Receive

Result = TypeVar("Result")


async def while_connected(receive: Receive, work: Coroutine[Any, Any, Result]) -> Result:
    """Cancels the work and raises ClientDisconnect when the client leaves; the body has been read before."""
    doing, leaving = asyncio.create_task(work), asyncio.create_task(_departure(receive))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        doing.cancel()
        leaving.cancel()
        await asyncio.wait({doing, leaving})


async def _departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

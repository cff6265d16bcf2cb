"""An answer as server-sent events.

`data: {"delta": "…", "done": false}` for each piece of text, then one last event with `"done": true`: the evidence, or
what went wrong. A comment line keeps a silent connection open.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.departures import while_connected
from app.error_handlers import as_service_error
from app.errors import envelope
from app.limits.admission import Admission, admission_of
from app.query.schemas import evidence
from app.query.timing import Stopwatch
from app.responses import encode
from app.shutdown import SOFT, Shutdown
from pipelines.types import Answer, Delta

SILENCE = 15.0
"""Seconds after which a comment line is sent, so that no proxy takes the connection for dead."""
KEEP_ALIVE = b": keep-alive\n\n"
HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
Event = Delta | Answer


class LiveAnswer:
    """Runs a stream in one task of its own, so that waiting for it can be given up and taken up again."""

    def __init__(self, events: AsyncGenerator[Event, None], shutdown: Shutdown) -> None:
        self._shutdown = shutdown
        self._queue: asyncio.Queue[Event | Exception] = asyncio.Queue(maxsize=16)
        self._task = asyncio.create_task(self._pump(events))

    async def next(self) -> Event | None:
        """The next event, None after a long silence. Raises what the stream raised."""
        try:
            async with asyncio.timeout(SILENCE):
                event = await self._queue.get()
        except TimeoutError:
            return None
        if isinstance(event, Exception):
            raise event
        return event

    async def close(self) -> None:
        """Stops the model, if it is still at it."""
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _pump(self, events: AsyncGenerator[Event, None]) -> None:
        try:
            async with self._shutdown.stopping(SOFT), aclosing(events):
                async for event in events:
                    await self._queue.put(event)
            await self._queue.put(RuntimeError("a stream ended without its answer"))
        except Exception as error:  # noqa: BLE001 - the one who waits raises it
            await self._queue.put(error)


class EventStream(Response):
    """Sends what `first` began; made once the first event is there, so that errors before it have their own status."""

    def __init__(self, live: LiveAnswer, first: Event | None, watch: Stopwatch) -> None:
        super().__init__(status_code=200, headers=HEADERS)
        del self.headers["content-length"]
        self._live = live
        self._first = first
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await while_connected(receive, self._send_all(send, admission_of(scope)))
        except OSError as error:
            raise ClientDisconnect from error
        finally:
            await self._live.close()

    async def _send_all(self, send: Send, admission: Admission) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._lines(admission)) as lines:
            async for line in lines:
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _lines(self, admission: Admission) -> AsyncGenerator[bytes, None]:
        event = self._first
        while not isinstance(event, Answer):
            yield _data({"delta": event.text, "done": False}) if event else KEEP_ALIVE
            try:
                event = await self._live.next()
            except Exception as error:  # noqa: BLE001 - told in the last event, logged where it is turned into one
                await admission.refund()
                yield _data(_failure(error))
                return
        yield _data(self._ending(event))

    def _ending(self, answer: Answer) -> dict[str, Any]:
        metadata = self._watch.metadata(answer.documents_searched, answer.documents_used)
        return {"done": True, **evidence(answer), "query_metadata": metadata}


async def begin(
    events: AsyncGenerator[Event, None], receive: Receive, watch: Stopwatch, shutdown: Shutdown
) -> Response:
    """Raises what goes wrong before the first event."""
    live = LiveAnswer(events, shutdown)
    try:
        first = await while_connected(receive, live.next())
    except BaseException:
        await live.close()
        raise
    return EventStream(live, first, watch)


def _data(event: dict[str, Any]) -> bytes:
    return b"data: " + encode(event) + b"\n\n"


def _failure(error: Exception) -> dict[str, Any]:
    said = envelope(as_service_error(error), "")
    return {"done": True, "citations": [], **{name: said[name] for name in ("error", "message", "code")}}

"""What surrounds every request: its id, its log line, the size of its body, and errors that nobody foresaw."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth import PATH
from app.context import KEY, RequestContext, context_of
from app.error_handlers import as_service_error, error_response
from app.errors import PayloadTooLarge, ShuttingDown
from app.identifiers import new_id
from app.metrics import Metrics
from app.responses import encode
from app.shutdown import HARD, Shutdown

access_log = logging.getLogger("app.access")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
LARGEST_BODY = 32 * 2**20
ACCOUNTS, LARGEST_OF_ACCOUNTS = "/api/auth/", 2**20
"""Who needs no credentials may send little."""
CLIENT_CLOSED = 499
"""In the log only: the client left before there was an answer."""


@dataclass(slots=True)
class _Sent:
    status: int | None = None


class Surroundings:
    """Gives each request its id and each response its common headers; writes one log line for each.

    HEAD is GET without the body; at the identity server it stays refused, where a GET uses up the link of a mail.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics | None = None, shutdown: Shutdown | None = None) -> None:
        self._app = app
        self._metrics = metrics or Metrics()
        self._shutdown = shutdown or Shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"]
        if method == "HEAD" and not scope["path"].startswith(f"{PATH}/"):
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        context = scope[KEY] = RequestContext(_request_id(scope))
        sent, started = _Sent(), time.perf_counter()
        try:
            await self._run(scope, receive, _with_headers(send, context, sent), sent)
        finally:
            status, seconds = sent.status or CLIENT_CLOSED, time.perf_counter() - started
            route = getattr(scope.get("route"), "path", None)
            self._metrics.request(method, route, status, seconds)
            _log(method, route, context, status, seconds)

    async def _run(self, scope: Scope, receive: Receive, send: Send, sent: _Sent) -> None:
        try:
            async with self._shutdown.stopping(HARD):
                await self._app(scope, receive, send)
        except ClientDisconnect:
            pass
        except Exception as error:
            refusal = as_service_error(error)
            if sent.status is None:
                await error_response(refusal, context_of(scope).request_id)(scope, receive, send)
            elif not isinstance(error, ShuttingDown):
                raise


class BodyLimit:
    """Refuses a body that says it is too large, and one that turns out to be."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = LARGEST_OF_ACCOUNTS if scope["path"].startswith(ACCOUNTS) else LARGEST_BODY
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            raise PayloadTooLarge(limit)
        await self._app(scope, _counting(receive, limit), send)


def _counting(receive: Receive, limit: int) -> Receive:
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise PayloadTooLarge(limit)
        return message

    return counted


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else str(new_id())


def _with_headers(send: Send, context: RequestContext, sent: _Sent) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = context.request_id
            headers["X-Content-Type-Options"] = "nosniff"
        await send(message)

    return sending


def _without_body(send: Send) -> Send:
    async def sending(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return sending


def _log(method: str, route: str | None, context: RequestContext, status: int, seconds: float) -> None:
    line = {
        "request_id": context.request_id,
        "organization_id": context.organization_id,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
    }
    access_log.info("%s", encode(line).decode())

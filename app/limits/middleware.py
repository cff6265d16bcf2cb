"""Around the service: settles what a request was charged, and tells in its response how much is left."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.limits.admission import KEY, Admission
from app.limits.headers import headers_of


class LimitHeaders:
    """The outermost middleware, so that it sees the responses to errors that nobody foresaw, too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            admission = scope[KEY] = Admission()
            send = _settling(send, admission)
        await self._app(scope, receive, send)


def _settling(send: Send, admission: Admission) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            await admission.settle(message["status"])
            MutableHeaders(scope=message).update(headers_of(admission))
        await send(message)

    return sending

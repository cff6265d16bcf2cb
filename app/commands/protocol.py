"""HTTP/1.1 with an end to what may stand before a body: the parser itself gathers a header of any length."""

from __future__ import annotations

from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.errors import HeadersTooLarge, envelope

LARGEST_HEAD = 64 * 2**10
LINGER = 1.0
"""Seconds in which a refused client may still send without a reset, which could overtake the refusal."""


class BoundedHeads(HttpToolsProtocol):
    """Refuses a connection that sends `LARGEST_HEAD` bytes without the end of its headers or any body.

    Trailers count as headers do. Where requests are pipelined, what shares a read with the earlier one is free.
    """

    _unfinished = 0
    _refused = False

    def data_received(self, data: bytes) -> None:
        while data and not self._refused and not self.transport.is_closing():
            room = LARGEST_HEAD - self._unfinished
            self._part_received(data[:room])
            data = data[room:]

    def _part_received(self, part: bytes) -> None:
        self._unfinished += len(part)
        super().data_received(part)
        if self._unfinished >= LARGEST_HEAD and not self.transport.is_closing():
            self._refuse()

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished = 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """Called for each connection when the server begins to end, in a worker process, too."""
        super().shutdown()
        if shutdown := self.app_state.get("shutdown"):
            shutdown.begin(self.config.timeout_graceful_shutdown)

    def _unsupported_upgrade_warning(self) -> None:
        """Nobody is to be told: an upgrade that is not offered is a request like any other."""

    def _refuse(self) -> None:
        self._refused = True
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(refusal())
            self.loop.call_later(LINGER, self.transport.close)
        else:  # an answer to what came before would be cut in two
            self.transport.close()


def refusal() -> bytes:
    """The whole response."""
    from app.identifiers import new_id
    from app.responses import encode

    error, request_id = HeadersTooLarge(LARGEST_HEAD), str(new_id())
    body = encode(envelope(error, request_id))
    lines = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"x-request-id: {request_id}",
        "x-content-type-options: nosniff",
        "connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode() + body

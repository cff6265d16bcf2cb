"""HTTP/1.1 with an end to what may stand before a body: the parser itself gathers a header of any length.

What is refused before there is a request is refused in the shape of every error.
"""

from __future__ import annotations

from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.errors import HeadersTooLarge, InvalidRequest, ServiceError, envelope

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
        if self._unfinished >= LARGEST_HEAD and not self._refused and not self.transport.is_closing():
            self._refuse(HeadersTooLarge(LARGEST_HEAD))

    def send_400_response(self, msg: str) -> None:
        self._refuse(InvalidRequest("The request is not valid HTTP/1.1."))

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

    def _refuse(self, error: ServiceError) -> None:
        self._refused = True
        if self._is_answering():  # the client would take this for that answer, or for a part of it
            self.transport.close()
            return
        if self.cycle:  # its body is what cannot be read: as if the client had left
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(refusal(error))
        self.loop.call_later(LINGER, self.transport.close)

    def _is_answering(self) -> bool:
        """Whether an answer is still to come, or to end, that is another request's than what is refused."""
        if self.cycle is None or self.cycle.response_complete:
            return False
        return self.cycle.response_started or not self.cycle.more_body or bool(self.pipeline)


def refusal(error: ServiceError) -> bytes:
    """The whole response."""
    from app.identifiers import new_id
    from app.responses import encode

    request_id = str(new_id())
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

"""What stands before a body has an end; all else about a connection is as it was. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from app.commands.protocol import LARGEST_HEAD
from app.commands.serve import OPTIONS

SMALL = b"GET /%d HTTP/1.1\r\nhost: kb\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nhost: kb\r\nconnection: close\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nhost: kb\r\ntransfer-encoding: chunked\r\n\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """The kind of connection, the path, and how long the body was; `/slow` takes its time."""
    assert scope["type"] == "http"
    request = Request(scope, receive)
    told = f"<{scope['path']} {len(await request.body())}>"
    if scope["path"] == "/slow":
        await asyncio.sleep(1)
    await PlainTextResponse(told)(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(echo, **{**OPTIONS, "lifespan": "off"}))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(30)


def said(port: int, *parts: bytes) -> bytes:
    """All that comes back; what is sent is sent by a thread, until the other side wants no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        thread = threading.Thread(target=send_all, args=(connection, parts))
        thread.start()
        received = b""
        with suppress(ConnectionResetError):
            while more := connection.recv(65536):
                received += more
        thread.join()
    return received


def send_all(connection: socket.socket, parts: tuple[bytes, ...]) -> None:
    with suppress(OSError):
        for part in parts:
            connection.sendall(part)


def with_header(size: int) -> bytes:
    """A request whose head has so many bytes."""
    start, end = b"GET /padded HTTP/1.1\r\nhost: kb\r\nconnection: close\r\nx: ", b"\r\n\r\n"
    return start + b"a" * (size - len(start) - len(end)) + end


def assert_refused(answer: bytes, status: int = 431, code: str = "HEADERS_TOO_LARGE") -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    reason = HTTPStatus(status).phrase
    assert head.startswith(f"HTTP/1.1 {status} {reason}\r\n".encode())
    assert b"connection: close" in head
    told = json.loads(body)
    assert (told["code"], told["error"]) == (code, reason)
    assert f"x-request-id: {told['request_id']}".encode() in head
    assert f"content-length: {len(body)}".encode() in head


def test_headers_up_to_the_limit(port: int) -> None:
    """Headers of exactly the limit are taken, one byte more is refused in the shape of every error."""
    assert b"</padded 0>" in said(port, with_header(LARGEST_HEAD))
    assert_refused(said(port, with_header(LARGEST_HEAD + 1)))


@pytest.mark.parametrize("endless", [b"x: " + b"a" * 2**16, b"x: y\r\n" * 10_000, b"a" * 2**16])
def test_headers_without_end(port: int, endless: bytes) -> None:
    """A header, a number of headers or a name without end is refused soon, and others are answered meanwhile."""
    began = time.monotonic()
    assert_refused(said(port, b"GET / HTTP/1.1\r\n", *[endless] * 300))
    assert time.monotonic() - began < 10
    assert b"</last 0>" in said(port, LAST)


def test_an_address_without_end(port: int) -> None:
    """The request's first line counts, too."""
    assert_refused(said(port, b"GET /" + b"a" * 2 * LARGEST_HEAD))


def test_headers_that_come_slowly(port: int) -> None:
    """What counts is their sum."""
    assert_refused(said(port, b"GET / HTTP/1.1\r\n", *[b"x: " + b"y" * 1000 + b"\r\n"] * 70))


@pytest.mark.parametrize(
    "request_",
    [
        b"FETCH / HTTP/1.1\r\nhost: kb\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: kb\r\ncontent-length: x\r\n\r\n",
        b"GET /\xc3\xa4 HTTP/1.1\r\nhost: kb\r\n\r\n",
        b"nonsense\r\n\r\n" + b"a" * 2 * LARGEST_HEAD,
        CHUNKED + b"3\r\nabc\r\nno length\r\n",
    ],
)
def test_what_is_no_http(port: int, request_: bytes) -> None:
    """A request that cannot be read is refused once, in the shape of every error."""
    answer = said(port, request_)
    assert_refused(answer, 400, "INVALID_REQUEST")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_trailers_without_end(port: int) -> None:
    """What follows a body in chunks is no way around the limit, and there is no second answer."""
    answer = said(port, CHUNKED + b"3\r\nabc\r\n0\r\nx: ", *[b"a" * 2**16] * 20)
    assert_refused(answer)
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("next_", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nx: " + b"a" * 2 * LARGEST_HEAD])
@pytest.mark.parametrize("body", [b"", b"abc"])
def test_a_refusal_is_no_answer_to_another_request(port: int, body: bytes, next_: bytes) -> None:
    """While a request awaits its answer, what cannot be read behind it only closes the connection."""
    head = b"POST /slow HTTP/1.1\r\nhost: kb\r\ncontent-length: %d\r\n\r\n" % len(body)
    assert said(port, head + body, next_) == b""
    assert said(port, head + body + next_) == b""


def test_pipelined_requests_are_counted_one_by_one(port: int) -> None:
    """Many requests in one go are all answered, in order, though together they have far more than the limit."""
    number = 4 * LARGEST_HEAD // len(SMALL)
    answer = said(port, b"".join(SMALL % n for n in range(number)) + LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == number + 1
    assert answer.index(b"</0 0>") < answer.index(b"</1000 0>") < answer.index(b"</last 0>")


def test_a_connection_that_is_kept_begins_anew(port: int) -> None:
    """Each request on one connection may have headers up to the limit."""
    kept = with_header(LARGEST_HEAD).replace(b"connection: close", b"connection: alive")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(3):
            connection.sendall(kept)
            answer = b""
            while b"</padded 0>" not in answer:
                answer += connection.recv(65536)
        connection.sendall(with_header(LARGEST_HEAD + 1))
        answer = b""
        while more := connection.recv(65536):
            answer += more
    assert_refused(answer)


@pytest.mark.parametrize("chunked", [False, True])
def test_large_bodies(port: int, chunked: bool) -> None:
    """A body is no header, whether its length is told or it comes in chunks."""
    size = 20 * 2**20
    if chunked:
        parts = [CHUNKED, *[b"10000\r\n" + b"b" * 2**16 + b"\r\n"] * (size // 2**16), b"0\r\n\r\n"]
    else:
        parts = [b"POST / HTTP/1.1\r\nhost: kb\r\ncontent-length: %d\r\n\r\n" % size, b"b" * size]
    assert f"</ {size}>".encode() in said(port, *parts, LAST)


def test_a_websocket_is_not_offered(port: int) -> None:
    """The upgrade is passed over: what is answered is the request itself."""
    upgrade = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: YQ==\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"GET /ws HTTP/1.1\r\nhost: kb\r\n" + upgrade + b"\r\n")
        answer = b""
        while b"</ws 0>" not in answer:
            answer += (more := connection.recv(65536))
            assert more
    assert answer.startswith(b"HTTP/1.1 200 OK")

"""An OpenAI-compatible chat server on loopback that says, over real HTTP, what a test tells it to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any


class Exchange:
    """One request, and the means to answer it badly."""

    def __init__(self, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.body = body
        self._reader = reader
        self._writer = writer

    async def begin(self, content_type: str = "text/event-stream") -> None:
        fields = f"Content-Type: {content_type}\r\nTransfer-Encoding: chunked\r\nConnection: close"
        await self._send(f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n".encode())

    async def chunk(self, data: bytes) -> None:
        await self._send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def event(self, **fields: Any) -> None:
        message = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", **fields}
        await self.chunk(f"data: {json.dumps(message)}\n\n".encode())

    async def say(self, text: str | None, finish: str | None = None) -> None:
        await self.event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish}])

    async def end(self, finish: str = "stop") -> None:
        """As servers do: a last delta that says why, usage with empty `choices`, then the end of the stream."""
        await self.event(choices=[{"index": 0, "delta": {}, "finish_reason": finish}])
        await self.event(choices=[], usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
        await self.chunk(b"data: [DONE]\n\n")
        await self._send(b"0\r\n\r\n")

    async def refuse(self, status: int, **error: Any) -> None:
        body = json.dumps({"error": error}).encode()
        head = f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        await self._send(f"{head}Connection: close\r\n\r\n".encode() + body)

    async def hung_up(self) -> None:
        """Returns when the client closes the connection."""
        while await self._reader.read(1024):
            pass

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


Script = Callable[[Exchange], Awaitable[None]]


def saying(*pieces: str | None, finish: str = "stop") -> Script:
    """A whole, well-behaved stream of these pieces, after the empty delta with which servers begin."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.event(
            choices=[{"index": 0, "delta": {"role": "assistant", "content": None}, "finish_reason": None}]
        )
        for piece in pieces:
            await exchange.say(piece)
        await exchange.end(finish)

    return script


def refusing(status: int, **error: Any) -> Script:
    async def script(exchange: Exchange) -> None:
        await exchange.refuse(status, **error)

    return script


class ScriptedServer:
    """Answers requests with the scripts in turn, the last one for all that follow."""

    def __init__(self) -> None:
        self.scripts: list[Script] = [saying("Nothing was scripted.")]
        self.requests: list[dict[str, Any]] = []
        self.most_at_once = 0
        self.url = ""
        self._at_once = 0

    def play(self, *scripts: Script) -> None:
        self.scripts = list(scripts)

    async def rest(self) -> None:
        """Returns when every script has come to its end, or soon all the same."""
        for _ in range(100):
            await asyncio.sleep(0.01)
            if not self._at_once:
                break

    @property
    def prompt(self) -> str:
        """All that the model was told in the last request."""
        return "\n".join(message["content"] for message in self.requests[-1]["messages"])

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = await _request_body(reader)
        self.requests.append(body)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        try:
            with suppress(ConnectionError):
                await script(Exchange(body, reader, writer))
        finally:
            self._at_once -= 1
            writer.close()


@asynccontextmanager
async def scripted_server() -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer()
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listening.close()
        await server.rest()


async def _request_body(reader: asyncio.StreamReader) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = next(int(line.split(":")[1]) for line in head.splitlines() if line.startswith("content-length"))
    body: dict[str, Any] = json.loads(await reader.readexactly(length))
    return body


def endless(left: asyncio.Event) -> Script:
    """Says the same sentence until the client hangs up, then sets `left`."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin()
        gone = asyncio.create_task(exchange.hung_up())
        while not gone.done():
            await exchange.say("It lays four blue eggs [1]. ")
            await asyncio.wait([gone], timeout=0.02)
        left.set()

    return script


def stalling(left: asyncio.Event, asked: asyncio.Event | None = None, first: str | None = None) -> Script:
    """Says nothing more until the client hangs up, then sets `left`; `asked` once the request is there."""

    async def script(exchange: Exchange) -> None:
        if asked:
            asked.set()
        if first:
            await exchange.begin()
            await exchange.say(first)
        await exchange.hung_up()
        left.set()

    return script

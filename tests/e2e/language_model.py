"""A scripted language model server that speaks OpenAI's chat completions over real HTTP on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[["Call"], None]


class Call(BaseHTTPRequestHandler):
    """One completion that is asked for; `script` says what becomes of it."""

    protocol_version = "HTTP/1.1"
    server: ScriptedModel

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls += 1
        self.close_connection = True
        try:
            self.server.script(self)
        except OSError:
            self.server.cut.set()

    def begin(self, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def say(self, text: str | None = None, **choice: Any) -> None:
        delta = {} if text is None else {"content": text}
        chunk = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None, **choice}],
        }
        self.raw(f"data: {json.dumps(chunk)}\n\n")

    def raw(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def end(self) -> None:
        self.say(finish_reason="stop")
        self.raw("data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Silence."""


class ScriptedModel(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Call)
        self.script: Script = answers()
        self.calls = 0
        self.cut = threading.Event()
        """Set when a client has left in the middle of a completion."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def play(self, script: Script) -> None:
        self.script = script
        self.calls = 0
        self.cut.clear()


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def pieces(text: str) -> Iterable[str]:
    """A text cut where no word ends, as a model's tokens may be."""
    return (text[at : at + 3] for at in range(0, len(text), 3))


def answers(text: str = "Nothing.") -> Script:
    def script(call: Call) -> None:
        call.begin()
        for piece in pieces(text):
            call.say(piece)
        call.end()

    return script


def says_and_dies(text: str) -> Script:
    """The connection ends in the middle, without a last chunk."""

    def script(call: Call) -> None:
        call.begin()
        for piece in pieces(text):
            call.say(piece)

    return script


def says_and_stalls(text: str, seconds: float) -> Script:
    def script(call: Call) -> None:
        call.begin()
        for piece in pieces(text):
            call.say(piece)
        time.sleep(seconds)

    return script


def says_and_goes_on(text: str, seconds: float) -> Script:
    """A long reply, a word every twentieth of a second."""

    def script(call: Call) -> None:
        call.begin()
        for piece in pieces(text):
            call.say(piece)
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            call.say("word ")
            time.sleep(0.05)

    return script


def garbage(call: Call) -> None:
    call.begin()
    call.raw("data: {this is no JSON\n\n")


def refuses(call: Call) -> None:
    call.begin(500)

"""A JSON server on loopback that answers, over real HTTP, as a test tells it to."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = tuple[int, bytes]
Script = Callable[[dict[str, Any]], Answer]


class Server(ThreadingHTTPServer):
    """Answers with what is scripted, then as it `usually` does."""

    def __init__(self, usually: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.usually = usually
        self.script: list[Answer | Script] = []
        self.paths: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.append(self.path)
        self.server.requests.append(request)
        self.server.keys.append(self.headers["Authorization"])
        answer = self.server.script.pop(0) if self.server.script else self.server.usually
        status, body = answer(request) if callable(answer) else answer
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running(usually: Script) -> Iterator[Server]:
    with Server(usually) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()

"""An OpenAI-compatible server on loopback that judges as it is told: well, with nonsense, or never."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STATEMENTS = ["Flights are booked 14 days ahead.", "The moon is made of cheese."]


def good(prompt):
    """As ragas' prompts want it: one of two statements holds, the context is useful and says all that is wanted."""
    wanted = prompt.split("-----------------------------")[0]
    if '"noncommittal"' in wanted:
        return json.dumps({"question": "When are flights booked?", "noncommittal": 0})
    if '"classifications"' in wanted:
        return json.dumps({"classifications": [{"statement": "s", "reason": "r", "attributed": 1}]})
    if '"statements"' in wanted and '"verdict"' in wanted:
        verdicts = zip(STATEMENTS, (1, 0), strict=True)
        return json.dumps({"statements": [{"statement": s, "reason": "r", "verdict": v} for s, v in verdicts]})
    if '"statements"' in wanted:
        return json.dumps({"statements": STATEMENTS})
    return json.dumps({"reason": "r", "verdict": 1})


def nonsense(prompt):
    return "I would rather talk about boats."


def empty_handed(prompt):
    """Well-formed, but there is nothing in it to make a score of."""
    return json.dumps({"statements": []}) if '"statements"' in prompt else good(prompt)


class Server(ThreadingHTTPServer):
    """`say` makes an answer of a prompt; `refusals` are statuses that come first; `stalled` holds every answer back."""

    daemon_threads = True

    def __init__(self, say):
        super().__init__(("127.0.0.1", 0), Handler)
        self.say = say
        self.refusals = []
        self.stalled = False
        self.released = threading.Event()
        self.requests = []
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """A client that went away is what stalling is for."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, dict(self.headers), body))
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        if self.server.stalled:
            self.server.released.wait(30)
        status = self.server.refusals.pop(0) if self.server.refusals else 200
        content = self.server.say(body["messages"][0]["content"])
        with self.server.lock:
            self.server.now -= 1
        text = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


@contextmanager
def serving(say) -> Iterator[Server]:
    server = Server(say)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()

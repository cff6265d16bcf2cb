"""`kb serve`: uvicorn over the service; says when it is ready, and with `--demo` how to ask it."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from app.commands import console, logs
from app.commands.protocol import BoundedHeads
from app.commands.refusals import Refusal, sentence_for
from app.config import Settings, settings_with

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from app.commands.demo import Demo

HERE = {"127.0.0.1", "::1", "0.0.0.0", "::"}  # noqa: S104 - names of this machine, nothing is opened by them


def run(host: str, port: int, workers: int, *, demo: bool, config: Path | None = None) -> None:
    settings = settings_with(config)
    if workers > 1 and settings.chroma_url is None:
        raise Refusal(
            "Embedded Chroma has one process: for more than one worker run a Chroma server and set KB_CHROMA_URL."
        )
    logs.serve_lines()
    logs.tell_long_work()
    if workers > 1:
        _run_many(settings, host, port, workers, demo=demo)
    else:
        _run_one(settings, host, port, demo=demo)


def _run_one(settings: Settings, host: str, port: int, *, demo: bool) -> None:
    listening = listen(host, port)
    console.tell("Starting ...")
    with without_collection():
        from app.main import create_app

    settings = settings.model_copy(
        update={"demo": demo, "public_url": public_url(settings, host, listening.getsockname()[1])}
    )
    guarded = Guarded(create_app(settings))
    server = Server(uvicorn.Config(guarded, **OPTIONS), settings, address(*listening.getsockname()), demo=demo)
    try:
        with suppress(KeyboardInterrupt):  # the way to stop it, after an orderly end
            server.run([listening])
    except SystemExit:
        if guarded.error:
            raise guarded.error from None
        raise
    if server.refusal:
        raise server.refusal


def _run_many(settings: Settings, host: str, port: int, workers: int, *, demo: bool) -> None:
    """The supervisor prepares what there is to prepare; each worker opens the same servers."""
    from app.commands.demo import prepare
    from app.commands.opening import opened_knowledge

    async def prepared() -> Demo | None:
        async with opened_knowledge(settings) as opened:
            return await prepare(opened.knowledge, settings) if demo else None

    os.environ["KB_DEMO"] = str(demo)
    if settings.config:
        os.environ["KB_CONFIG"] = str(settings.config)
    listening = listen(host, port)
    reached, port = address(*listening.getsockname()), listening.getsockname()[1]
    listening.close()
    os.environ["KB_PUBLIC_URL"] = public_url(settings, host, port)
    console.tell(f"Starting {workers} workers ...")
    shown = asyncio.run(prepared())
    threading.Thread(target=_announce_when_ready, args=(reached, shown), daemon=True).start()
    uvicorn.run("app.commands.serve:worker", factory=True, host=host, port=port, workers=workers, **OPTIONS)


def _announce_when_ready(reached: str, shown: Demo | None) -> None:
    from urllib.request import urlopen

    from app.commands.demo import announce

    while True:
        with suppress(OSError), urlopen(f"{reached}/readyz", timeout=5) as answer:  # noqa: S310 - our own address
            if answer.status == 200:
                break
        time.sleep(0.2)
    if shown:
        announce(reached, shown)
    else:
        console.tell(f"Ready on {reached}")


def worker() -> ASGIApp:
    """What each of several workers serves."""
    logs.serve_lines()
    with without_collection():
        from app.main import create_app

    return Guarded(create_app(Settings()))


@contextmanager
def without_collection() -> Iterator[None]:
    """Imports make hundreds of thousands of objects that stay: looking through them again and again is a fifth of
    the start, and later of each collection."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


OPTIONS: dict[str, Any] = {
    "loop": "uvloop" if os.name != "nt" else "asyncio",
    "http": BoundedHeads,
    "ws": "none",  # a WebSocket would pass by all that surrounds a request
    "lifespan": "on",
    "access_log": False,  # the service logs each request itself
    "log_level": "warning",
    "log_config": None,
    "server_header": False,
    "proxy_headers": False,  # whose X-Forwarded-For counts is for the service to say
    "timeout_graceful_shutdown": 10,
}


def listen(host: str, port: int) -> socket.socket:
    """Taken before the seconds of imports, so that a port in use is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise Refusal(f"{host}:{port} cannot be listened on: {error.strerror}. Name another with --port.") from None
    return listening


def public_url(settings: Settings, host: str, port: int) -> str:
    """The setting, else where it is served: what mails lead to and tokens are issued by."""
    if "public_url" in settings.model_fields_set:
        return settings.public_url
    return address("localhost" if host in HERE else host, port)


def address(host: str, port: int, *_: object) -> str:
    """Where a browser or curl on this machine finds it."""
    local = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{local}:{port}"


class Server(uvicorn.Server):
    """Announces itself when it answers, which with the demo's documents is once they can be found."""

    def __init__(self, config: uvicorn.Config, settings: Settings, address: str, *, demo: bool) -> None:
        super().__init__(config)
        self._settings = settings
        self._address = address
        self._demo = demo
        self._preparing: asyncio.Task[None] | None = None
        self.refusal: Exception | None = None
        """Why the demo could not be prepared."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._preparing = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        if not self._demo:
            console.tell(f"Ready on {self._address}")
            return
        from app.commands.demo import announce, prepare

        try:
            announce(self._address, await prepare(self.lifespan.state["knowledge"], self._settings))
        except Exception as error:  # noqa: BLE001 - told by the command line, after an orderly end
            self.refusal = error
            self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._preparing:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)
        await super().shutdown(sockets)


class Guarded:
    """The service, whose refusal to start is kept for the command line instead of logged as a stack."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.error: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        await self._live(scope, receive, send)

    async def _live(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        async def send_without_stack(message: Message) -> None:
            await send({**message, "message": ""} if message["type"].endswith(".failed") else message)

        try:
            await self._app(scope, receive, send_without_stack)
        except Exception as error:
            if sentence_for(error) is None:
                raise
            self.error = error

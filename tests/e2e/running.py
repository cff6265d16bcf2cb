"""The service as a process of its own, made ready with its own command line: nothing of it is imported here."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

KB = (sys.executable, "-m", "app.cli")
READY_WITHIN = 120.0


def kb(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """One command, run to its end."""
    environment = environment_of(folder, **settings)
    command = [*KB, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def last_line(folder: Path, *arguments: str, **settings: str) -> str:
    done = kb(folder, *arguments, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def environment_of(folder: Path, **settings: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "SUPABASE_"))}
    return {**inherited, "KB_DATA_DIR": str(folder), "KB_LIMITS": "off", **settings}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def serving(
    folder: Path, *options: str, port: int | None = None, **settings: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a running service, and its process; its output is in `serve.log` of the folder."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    with (folder / "serve.log").open("ab") as log:
        command: Sequence[str] = [*KB, "serve", "--port", str(port), *options]
        process = subprocess.Popen(command, env=environment_of(folder, **settings), stdout=log, stderr=log)
    try:
        _wait_until_ready(url, process, folder)
        yield url, process
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    give_up = time.monotonic() + READY_WITHIN
    while time.monotonic() < give_up:
        assert process.poll() is None, (folder / "serve.log").read_text()
        try:
            if httpx.get(f"{url}/readyz", timeout=5).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("the service was not ready in time")

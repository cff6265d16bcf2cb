"""A service of one's own for the time of a benchmark: fresh folder, no limits, one organization with a key."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from eval.types import TargetError

COMMAND = (sys.executable, "-m", "app.cli")
READY_WITHIN = 120.0
LOG_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class Running:
    url: str
    api_key: str
    pid: int


@contextmanager
def running_service(folder: Path, **settings: str) -> Iterator[Running]:
    """Its output goes to `service.log` in the folder. Raises TargetError when it does not get ready."""
    environment = environment_of(folder, **{"KB_LIMITS": "off", **settings})
    organization = last_line(["admin", "create-org", "benchmark"], environment)
    key = last_line(["admin", "create-key", organization], environment)
    port = free_port()
    with (folder / "service.log").open("wb") as log:
        command = [*COMMAND, "serve", "--port", str(port)]
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, env=environment, cwd=folder, stdout=log, stderr=log
        )
    try:
        until_ready(f"http://127.0.0.1:{port}", process, folder / "service.log")
        yield Running(f"http://127.0.0.1:{port}", key, process.pid)
    finally:
        stop(process)


def environment_of(folder: Path, **settings: str) -> dict[str, str]:
    """Without the settings of who starts it: what they name is real."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "SUPABASE_"))}
    return {**inherited, "KB_DATA_DIR": str(folder), **settings}


def last_line(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Of what a command prints; run in its data folder, where there is no `.env`."""
    done = subprocess.run(  # noqa: S603 - our own command
        [*COMMAND, *arguments],
        env=dict(environment),
        cwd=environment.get("KB_DATA_DIR"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not done.stdout.strip():
        raise TargetError(f"{' '.join(arguments)}: {done.stderr.strip() or 'printed nothing'}")
    return done.stdout.strip().splitlines()[-1].strip()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + READY_WITHIN
    while time.monotonic() < give_up and process.poll() is None:
        with suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz", timeout=5).is_success:
                return
        time.sleep(0.1)
    raise TargetError(f"the service did not get ready:\n{log.read_text(errors='replace')[-LOG_SHOWN:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

"""A real browser, told what to do over its DevTools protocol: enough to open a page, fill it in and read it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0


class Page:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._calls = 0

    def open(self, url: str) -> None:
        self._call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of an expression in the page. Raises AssertionError for one that throws."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, script: str) -> Any:
        """Until an expression is true; its value."""
        give_up = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            assert time.monotonic() < give_up, f"{script} never came true: {self.run('document.body.innerText')}"
            time.sleep(0.05)
        return value

    def fill(self, selector: str, text: str) -> None:
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self.run(f"document.querySelector({json.dumps(selector)}).value = {json.dumps(text)}")

    def press(self, selector: str) -> None:
        """A button, once it can be seen."""
        self.wait_for(f"document.querySelector({json.dumps(selector)})?.offsetParent != null")
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def wait_for_text(self, text: str) -> None:
        self.wait_for(f"document.body?.innerText.includes({json.dumps(text)})")

    def _call(self, method: str, **parameters: Any) -> Any:
        self._calls += 1
        self._connection.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._connection.recv(PATIENCE))
            if said.get("id") == self._calls:
                assert "error" not in said, said
                return said["result"]


@contextmanager
def browsing(profile: Path) -> Iterator[Page]:
    """A tab of a fresh browser; skips without one, and fails where CI promises it."""
    with _started(_program(), profile) as port:
        [tab] = [one for one in httpx.get(f"http://127.0.0.1:{port}/json").json() if one["type"] == "page"]
        with connect(tab["webSocketDebuggerUrl"], max_size=None) as connection:
            yield Page(connection)


def _program() -> str:
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if os.environ.get("CI") == "true":
        pytest.fail("there is no Chromium, and CI=true: .ci/run installs it")
    pytest.skip("there is no Chromium")


@contextmanager
def _started(program: str, profile: Path) -> Iterator[int]:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command = [program, *options, *quiet, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr
        try:
            yield next(int(found[1]) for line in process.stderr if (found := re.search(r"ws://[^:]+:(\d+)/", line)))
        finally:
            process.terminate()

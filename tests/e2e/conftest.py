"""Data folders for services that run as processes of their own, and what their answers have to look like."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipelines.answerability import load_classifier
from pipelines.embedding import resolve_embedding
from tests.e2e.running import free_port

Json = dict[str, Any]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in models, converted once."""
    folder = tmp_path_factory.mktemp("converted")
    resolve_embedding(data_folder=folder)
    load_classifier(folder)
    return folder / "models"


@pytest.fixture(scope="session")
def new_home(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes data folders."""

    def make() -> Path:
        made = tmp_path_factory.mktemp("home")
        (made / "models").symlink_to(models)
        return made

    return make


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Chroma server."""
    folder, port = tmp_path_factory.mktemp("chroma"), free_port()
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                if httpx.get(f"{url}/api/v2/heartbeat").is_success:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        yield url
        process.terminate()


def document(source: str, external_id: str = "1", **changed: Any) -> Json:
    made = {
        "source": source,
        "external_id": external_id,
        "title": "Parental leave",
        "content": "Every parent takes sixteen weeks of paid leave.",
    }
    return {**made, **changed}


def refused(response: httpx.Response, status: int, code: str) -> Json:
    """The body of a refusal, after checking that it has the one shape that all of them have."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("application/json")
    body: Json = response.json()
    assert set(body) - {"details", "retry_after", "id"} == {"error", "message", "code", "request_id"}
    assert body["error"] == httpx.codes.get_reason_phrase(status)
    assert body["request_id"] == response.headers["x-request-id"]
    assert body["message"].strip()
    assert body["code"] == code
    return body

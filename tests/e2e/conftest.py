"""One running service with two organizations, shared by all tests here: each keeps to documents of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.running import last_line, serving

Json = dict[str, Any]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="session")
def keys(folder: Path) -> tuple[str, str]:
    """The API keys of two organizations."""
    first, second = (last_line(folder, "admin", "create-org", name) for name in ("First", "Second"))
    return last_line(folder, "admin", "create-key", first), last_line(folder, "admin", "create-key", second)


@pytest.fixture(scope="session")
def url(folder: Path, keys: tuple[str, str]) -> Iterator[str]:
    with serving(folder) as (address, _):
        yield address


@pytest.fixture
def nobody(url: str) -> Iterator[httpx.Client]:
    """Without credentials."""
    with httpx.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.fixture
def client(url: str, keys: tuple[str, str]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=60, headers={"X-API-Key": keys[0]}) as client:
        yield client


@pytest.fixture
def other(url: str, keys: tuple[str, str]) -> Iterator[httpx.Client]:
    """Of the other organization."""
    with httpx.Client(base_url=url, timeout=60, headers={"X-API-Key": keys[1]}) as client:
        yield client


@pytest.fixture
def source() -> str:
    """One that no other test uses."""
    return f"s{uuid.uuid4().hex}"


def document(source: str, external_id: str = "1", **changed: Any) -> Json:
    made = {
        "source": source,
        "external_id": external_id,
        "title": "Parental leave",
        "content": "Every parent takes sixteen weeks of paid leave.",
    }
    return {**made, **changed}


def refused(response: httpx.Response, status: int, code: str | None = None) -> Json:
    """The body of a refusal, after checking that it has the one shape that all of them have."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("application/json")
    body: Json = response.json()
    assert set(body) - {"details", "retry_after", "id"} == {"error", "message", "code", "request_id"}
    assert body["error"] == httpx.codes.get_reason_phrase(status)
    assert body["request_id"] == response.headers["x-request-id"]
    assert body["message"].strip()
    assert code is None or body["code"] == code
    for detail in body.get("details", ()):
        assert set(detail) == {"field", "message"}
    return body

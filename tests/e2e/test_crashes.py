"""Killed in the middle of its work, the service loses nothing and doubles nothing."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.e2e.running import KB, environment_of, kb, last_line, serving

DOCUMENTS = 240


@pytest.fixture
def home(new_home: Callable[[], Path]) -> Path:
    return new_home()


@pytest.fixture
def organization(home: Path) -> str:
    return last_line(home, "admin", "create-org", "Crashing")


def content(number: int) -> str:
    return (
        f"Cabinet {number} holds {number * 7} grey binders. " + "They are dusted on the first day of each month. " * 20
    )


def counts(home: Path) -> tuple[int, int, int, list[str]]:
    [report] = json.loads(kb(home, "admin", "check", "--json").stdout)
    return report["documents"], report["pending"], report["failed"], report["differences"]


def test_killed_while_ingesting(home: Path, organization: str, tmp_path: Path) -> None:
    """An ingest killed in the middle is taken up by the next one; then everything is there once."""
    corpus = tmp_path / "corpus.jsonl"
    lines = ({"_id": str(number), "title": f"Cabinet {number}", "text": content(number)} for number in range(DOCUMENTS))
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [*KB, "ingest", str(corpus), "--organization", organization]
    process = subprocess.Popen(command, env=environment_of(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    database = home / "kb.sqlite3-wal"
    for _ in range(1000):
        time.sleep(0.02)
        if database.exists() and database.stat().st_size > 500_000:
            break
    process.kill()
    assert process.wait(10) == -9
    done = kb(home, "ingest", str(corpus), "--organization", organization, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failed"] == 0
    assert counts(home) == (DOCUMENTS, 0, 0, [])


def test_killed_while_indexing(home: Path, organization: str) -> None:
    """What a killed server had accepted is searchable after its next start, without anybody asking for it."""
    key = last_line(home, "admin", "create-key", organization)
    items = [{"source": "s", "external_id": str(n), "title": f"Cabinet {n}", "content": content(n)} for n in range(100)]
    headers = {"X-API-Key": key, "Prefer": "respond-async"}
    with serving(home) as (url, process), httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        assert client.post("/api/documents/batch", json={"documents": items}).status_code == 202
        process.kill()
    with serving(home) as (url, _), httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for _ in range(300):
            if not client.get("/api/documents", params={"status": "pending", "limit": 1}).json()["documents"]:
                break
            time.sleep(0.1)
        found = client.post("/api/ai/search", json={"question": "Cabinet 73 binders 511"}).json()
        assert found["results"][0]["external_id"] == "73"
        assert found["query_metadata"]["sources_searched"] == 100
    assert counts(home) == (100, 0, 0, [])

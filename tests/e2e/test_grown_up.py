"""Several processes on PostgreSQL and a Chroma server: what one has answered for holds on all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.databases import postgres_database
from tests.e2e.conftest import document
from tests.e2e.running import kb, last_line, serving

ROUNDS = 12
TUNED = "[answers]\nmax_citations = 1\n"


@pytest.fixture(scope="module")
def settings(chroma_url: str) -> Iterator[dict[str, str]]:
    with postgres_database() as url:
        yield {"KB_CHROMA_URL": chroma_url, "KB_DATABASE_URL": url}


@pytest.fixture(scope="module")
def home(new_home: Callable[[], Path]) -> Path:
    return new_home()


@pytest.fixture(scope="module")
def organization(home: Path, settings: dict[str, str]) -> str:
    return last_line(home, "admin", "create-org", "Grown up", **settings)


@pytest.fixture(scope="module")
def service(home: Path, settings: dict[str, str], organization: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of two workers and the headers to call them with; each new connection may reach another one."""
    key = last_line(home, "admin", "create-key", organization, **settings)
    (home / "tuned.toml").write_text(TUNED)
    with serving(home, "--workers", "2", "--config", str(home / "tuned.toml"), **settings) as (address, _):
        yield address, {"X-API-Key": key, "Connection": "close"}


def test_read_your_writes_on_every_process(service: tuple[str, dict[str, str]]) -> None:
    """What was created, updated or deleted over one connection is so over the next one, whoever answers it."""
    address, headers = service
    with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        for number in range(ROUNDS):
            word = f"zebra{number:03}"
            body = document("wiki", str(number), title=word, content=f"The {word} stands in stable {number}.")
            made = client.post("/api/documents", json=body).json()
            assert found(client, word) == str(number)
            renamed = {"title": f"quagga{number:03}", "content": f"The quagga{number:03} has left."}
            assert client.put(f"/api/documents/{made['id']}", json=renamed).status_code == 200
            assert found(client, f"quagga{number:03}") == str(number)
            assert client.delete(f"/api/documents/{made['id']}").status_code == 204
            assert found(client, f"quagga{number:03}") != str(number)
            assert client.get(f"/api/documents/{made['id']}").status_code == 404


def found(client: httpx.Client, word: str) -> str | None:
    """The best document for a word."""
    results = client.post("/api/ai/search", json={"question": word}).json()["results"]
    return results[0]["external_id"] if results else None


def test_every_process_is_tuned_by_the_file(service: tuple[str, dict[str, str]]) -> None:
    """Whoever answers cites one passage where the question does not say otherwise; there are two that have it."""
    address, headers = service
    with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        for number, place in enumerate(("in the main hall", "beside the lift")):
            text = f"The defibrillator hangs {place}."
            client.post("/api/documents", json=document("safety", str(number), title="First aid", content=text))
        question = {"question": "Where does the defibrillator hang?"}
        asked = [question] * ROUNDS + [{**question, "options": {"max_citations": 5}}]
        cited = [len(client.post("/api/ai/query", json=one).json()["citations"]) for one in asked]
    assert cited == [1] * ROUNDS + [2]


def test_the_command_line_is_one_more_process(
    service: tuple[str, dict[str, str]], home: Path, settings: dict[str, str], organization: str, tmp_path: Path
) -> None:
    """Beside servers that share their index the command line indexes by itself; all agree in the end."""
    address, headers = service
    (tmp_path / "bees.md").write_text("# Bees\n\nThe hives stand on the roof of hall 2.\n")
    done = kb(home, "ingest", str(tmp_path), "--organization", organization, **settings)
    assert done.returncode == 0, done.stderr
    for _ in range(6):
        answer = httpx.post(f"{address}/api/ai/query", json={"question": "Where do the hives stand?"}, headers=headers)
        assert "roof" in answer.json()["answer"]
    checked = kb(home, "admin", "check", "--json", **settings)
    assert [report["differences"] for report in json.loads(checked.stdout)] == [[]]


def test_two_starts_at_once(home: Path, chroma_url: str) -> None:
    """Two commands that meet an empty database at the same time make its tables once."""
    with postgres_database() as url, ThreadPoolExecutor() as threads:
        both = {"KB_CHROMA_URL": chroma_url, "KB_DATABASE_URL": url}
        results = list(threads.map(lambda name: kb(home, "admin", "create-org", name, **both), "abcd"))
        listed = json.loads(kb(home, "admin", "list", "--json", **both).stdout)
    assert [result.returncode for result in results] == [0] * 4, results
    assert len(listed) == 4

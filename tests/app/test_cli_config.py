"""The command line opens the knowledge base as a configuration file tunes it, or says what is wrong with the file."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import uvicorn

from app import knowledge
from app.commands import serve
from app.config import Settings
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import Run
from tests.pipelines.conftest import WordHashing

QUESTION = "Where does the blue heron nest?"
REFUSES_ALL = "[answers]\nthreshold = 1.0\n"


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back afterwards: --workers sets them."""
    for name in ("KB_CONFIG", "KB_PUBLIC_URL"):
        monkeypatch.setenv(name, "")


@pytest.fixture
def ask(run: Run, tmp_path: Path) -> Callable[..., int]:
    """The number of citations."""
    (tmp_path / "heron.txt").write_text("The blue heron nests by the river.")
    run("admin", "create-org", "Birders")
    run("ingest", tmp_path / "heron.txt")
    return lambda *more: len(json.loads(run("ask", QUESTION, "--json", *more).stdout)["citations"])


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    (tmp_path / "strict.toml").write_text(REFUSES_ALL)
    return tmp_path / "strict.toml"


def test_a_file_tunes_answers(ask: Callable[..., int], strict: Path) -> None:
    """With a threshold that nothing reaches nothing is found."""
    assert ask() == 1
    assert ask("--config", strict) == 0


def test_the_file_may_be_named_by_the_environment(
    ask: Callable[..., int], strict: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all commands alike; the option beats it."""
    (tmp_path / "lenient.toml").write_text("[answers]\nthreshold = 0.0\n")
    monkeypatch.setenv("KB_CONFIG", str(strict))
    assert ask() == 0
    assert ask("--config", tmp_path / "lenient.toml") == 1


def test_a_file_cuts_passages(run: Run, tmp_path: Path) -> None:
    """Twelve sentences of six words, one a passage instead of all in one."""
    (tmp_path / "small.toml").write_text("[passages]\ntarget_tokens = 6\n")
    (tmp_path / "text.txt").write_text(" ".join(f"Heron number {at} nests by rivers." for at in range(12)))
    run("admin", "create-org", "Birders")
    run("ingest", tmp_path / "text.txt", "--config", tmp_path / "small.toml")
    [report] = json.loads(run("admin", "check", "--json").stdout)
    assert report["passages"] == 12


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("serve", "--port", "0", "--workers", "2"), ("ask", QUESTION)]
)
def test_a_wrong_file_is_a_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    """And exit code 1, whoever reads it first."""
    monkeypatch.setenv("KB_CHROMA_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(serve.logs, "serve_lines", lambda: None)
    run("admin", "create-org", "Birders")
    (tmp_path / "wrong.toml").write_text("[fusion]\nweight = 1\n")
    told = run(*command, "--config", tmp_path / "wrong.toml", code=1).stderr
    assert told.splitlines()[-1].endswith("wrong.toml: [fusion] has no weight; known are kind, lexical_weight, k")
    assert "Traceback" not in told


def test_workers_are_told_of_file_and_address(run: Run, strict: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are processes of their own, and read both from the environment."""
    told: list[str] = []
    monkeypatch.setenv("KB_CHROMA_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("app.commands.opening.opened_knowledge", _nothing)
    monkeypatch.setattr(serve.logs, "serve_lines", lambda: None)
    monkeypatch.setattr(serve, "_announce_when_ready", lambda *_: None)
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: told.extend((os.environ["KB_CONFIG"], Settings().public_url)))
    run("serve", "--host", "127.0.0.2", "--port", "0", "--workers", "2", "--config", strict)
    assert told[0] == str(strict)
    assert told[1].startswith("http://127.0.0.2:")
    assert Settings().config == strict


class _nothing:  # noqa: N801 - stands for a function
    def __init__(self, _: object) -> None: ...

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...


async def test_the_environment_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its model at its server, with its key; nothing is said of what is not set."""
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(
        "pipelines.configuration.resolve_embedding", lambda **wanted: asked.append(wanted) or WordHashing(embedded=[])
    )
    monkeypatch.setattr("pipelines.configuration.load_classifier", lambda _: None)
    (tmp_path / "tuned.toml").write_text('[embedding]\nbase_url = "http://localhost:1"\nmodel = "m"\n')
    settings = {"data_dir": tmp_path, "config": tmp_path / "tuned.toml", "_env_file": None}
    for more in ({}, {"embedding_model": "n", "embedding_api_key": "own"}):
        opened: KnowledgeBase = await knowledge.open_knowledge(Settings(**settings, **more))
        await opened.close()
    assert [(one["model"], one["base_url"], one.get("api_key")) for one in asked] == [
        ("m", "http://localhost:1", None),
        ("n", "http://localhost:1", "own"),
    ]

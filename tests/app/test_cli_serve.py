"""`kb serve` in a thread of the test, with the demo's documents and without."""

import asyncio
import email
import email.policy
import json
import logging
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from filelock import FileLock
from typer.testing import CliRunner

from app.auth.client import as_administrator
from app.auth.identity import opened as opened_identity
from app.cli import app
from app.commands import serve
from app.commands.demo import PERSON, curl_line, handbook
from app.commands.logs import Lines
from app.config import Settings
from tests.pipelines.conftest import WordHashing

ROWS = [
    {"_id": "1", "title": "Heron", "text": "The blue heron nests by the river.", "metadata": {"source": "wiki"}},
    {
        "_id": "2",
        "title": "Hotels",
        "text": "In Lyon you can spend 145 euros per night on a hotel.",
    },
]
Start = Callable[[], str]


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Data in the test's folder, a model that costs nothing, and the loggers as they were."""
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KB_DEMO_DATA", str(tmp_path))
    monkeypatch.setattr("pipelines.configuration.resolve_embedding", lambda **_: WordHashing(embedded=[]))
    monkeypatch.setattr("pipelines.configuration.load_classifier", lambda _: None)
    monkeypatch.setattr(serve.logs, "serve_lines", lambda: None)
    yield
    logging.getLogger("pipelines.embedding").handlers = []
    logging.getLogger("pipelines.embedding").propagate = True


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, demo: bool) -> Iterator[str]:
    """What a started server has printed; it is stopped afterwards."""
    servers: list[serve.Server] = []

    class Kept(serve.Server):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[arg-type]
            servers.append(self)

    monkeypatch.setattr(serve, "Server", Kept)
    thread = threading.Thread(target=serve.run, args=("127.0.0.1", 0, 1), kwargs={"demo": demo})
    thread.start()
    try:
        yield printed(capfd, thread)
    finally:
        for server in servers:
            server.should_exit = True
        thread.join(30)
    assert not thread.is_alive()


def printed(capfd: pytest.CaptureFixture[str], thread: threading.Thread) -> str:
    text = ""
    until = time.monotonic() + 60
    while "Ready on" not in text or not text.endswith("\n"):
        assert thread.is_alive()
        assert time.monotonic() < until, text
        time.sleep(0.05)
        text += "".join(capfd.readouterr())
    return text


def test_the_demos_printed_lines_work(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """The first gives a cited answer, the second logs its owner in; the mails' page is there."""
    with serving(monkeypatch, capfd, demo=True) as text:
        lines = [line for line in text.splitlines() if line.startswith("curl ")]
        ask, log_in = (
            json.loads(subprocess.run(["sh", "-c", line], capture_output=True, check=True, timeout=60).stdout)
            for line in lines
        )
        assert ask["citations"]
        listed = httpx.get(
            f"{address_in(text)}/api/documents", headers={"Authorization": f"Bearer {log_in['access_token']}"}
        )
        assert len(listed.json()["documents"]) == len(ROWS)
        assert httpx.get(f"{address_in(text)}/auth/outbox").status_code == 200


def test_each_start_has_a_new_key_and_the_earlier_ones_are_revoked(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(monkeypatch, capfd, demo=True) as text:
        first = key_in(text)
    with serving(monkeypatch, capfd, demo=True) as text:
        second, address = key_in(text), address_in(text)
        statuses = [
            httpx.get(f"{address}/api/documents", headers={"X-API-Key": key}).status_code for key in (first, second)
        ]
        listed = httpx.get(f"{address}/api/documents", headers={"X-API-Key": second}).json()
    assert statuses == [401, 200]
    assert len(listed["documents"]) == len(ROWS)
    [organization] = json.loads(CliRunner().invoke(app, ["admin", "list", "--json"]).stdout)
    assert organization["name"] == "Demo"


def test_a_customer_called_demo_is_not_the_demos(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The key that is printed opens the demo's own organization, not one that has its name."""
    theirs = CliRunner().invoke(app, ["admin", "create-org", "Demo"]).stdout.split()[-1]
    with serving(monkeypatch, capfd, demo=True) as text:
        own = httpx.get(f"{address_in(text)}/api/auth/me", headers={"X-API-Key": key_in(text)}).json()
    assert own["organization"]["id"] not in {theirs, None}
    assert len(json.loads(CliRunner().invoke(app, ["admin", "list", "--json"]).stdout)) == 2


def test_an_account_that_has_the_demos_address_is_left_alone() -> None:
    """It may be somebody's: the start is refused in a sentence."""

    async def sign_up() -> None:
        async with opened_identity(Settings()) as server, as_administrator(server) as client:
            await client.admin.create_user({"email": PERSON, "password": "not the demo's", "email_confirm": True})

    asyncio.run(sign_up())
    refused("demo@example.com has an account here", "serve", "--demo", "--port", "0")


def test_without_the_demo_nothing_is_made(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(monkeypatch, capfd, demo=False) as text:
        assert httpx.get(f"{address_in(text)}/readyz").status_code == 200
    assert json.loads(CliRunner().invoke(app, ["admin", "list", "--json"]).stdout) == []


@pytest.mark.parametrize("setting", ["", "https://kb.example/wiki"])
def test_mails_lead_to_where_it_is_served(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, setting: str
) -> None:
    """Unless KB_PUBLIC_URL says otherwise; the tokens that such a link is good for are believed either way."""
    monkeypatch.setenv("KB_PUBLIC_URL", setting)
    with serving(monkeypatch, capfd, demo=False) as text, httpx.Client(base_url=address_in(text)) as client:
        wanted = {"email": "ada@example.com", "password": "correct horse", "organizationName": "Acme"}
        assert client.post("/api/auth/signup", json=wanted).status_code == 201
        link = re.search(r"(\S+)/auth/confirm\?token_hash=([\w-]+)", mailed(tmp_path / "data" / "outbox"))
        assert link
        assert link[1] == (setting or f"http://localhost:{client.base_url.port}")
        tokens = client.post("/api/auth/verify", json={"token_hash": link[2], "type": "signup"}).json()
        me = client.get("/api/auth/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    assert me.json()["user"]["email"] == "ada@example.com"


def mailed(outbox: Path) -> str:
    """The text of the one mail, which is sent behind the answer."""
    until = time.monotonic() + 30
    while not (mails := list(outbox.glob("*.eml"))):
        assert time.monotonic() < until
        time.sleep(0.05)
    body = email.message_from_bytes(mails[0].read_bytes(), policy=email.policy.default).get_body(("plain",))
    assert body
    return str(body.get_content())


def test_ingest_beside_a_server_is_indexed_by_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with serving(monkeypatch, capfd, demo=False):
        assert CliRunner().invoke(app, ["admin", "create-org", "Acme"]).exit_code == 0
        result = CliRunner().invoke(app, ["ingest", str(tmp_path / "corpus.jsonl"), "--json"])
        assert result.exit_code == 0, result.output
    checked = json.loads(CliRunner().invoke(app, ["admin", "check", "--json"]).stdout)
    assert (checked[0]["documents"], checked[0]["pending"], checked[0]["differences"]) == (2, 0, [])


def test_sample_documents_that_are_not_there_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_DEMO_DATA", "/nowhere")
    refused("There is no file or folder /nowhere.", "serve", "--demo", "--port", "0")


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused("cannot be listened on", "serve", "--port", str(taken.getsockname()[1]))


def test_a_folder_in_use_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with FileLock(tmp_path / "data" / "index.lock"):
        refused("Another process serves this data folder", "serve", "--port", "0")


def refused(sentence: str, *arguments: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def key_in(text: str) -> str:
    return text.partition("API key: ")[2].split()[0]


def address_in(text: str) -> str:
    return text.partition("Ready on ")[2].split()[0]


# --- what needs no server


def test_the_curl_line_survives_any_question() -> None:
    question = 'What\'s the "limit" in $HOME & `pwd`, für Köln?'
    *_, body = shlex.split(curl_line("http://localhost", "/api/ai/query", {"question": question}, "kb_secret"))
    assert json.loads(body) == {"question": question}


def test_the_handbook_is_found_without_importing_its_package() -> None:
    found = (
        "import sys; from app.commands.demo import handbook; assert handbook().is_file(); print('eval' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert handbook().name == "corpus.jsonl"


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("0.0.0.0", "127.0.0.1"),  # noqa: S104
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "[::1]"),
        ("::", "[::1]"),
        ("kb.example", "kb.example"),
    ],
)
def test_the_address_is_one_that_works_on_this_machine(host: str, shown: str) -> None:
    assert serve.address(host, 8000) == f"http://{shown}:8000"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://localhost:8000"),
        ("::", "http://localhost:8000"),
        ("kb.example", "http://kb.example:8000"),
        ("fd00::1", "http://[fd00::1]:8000"),
    ],
)
def test_the_public_url_is_of_the_host_unless_it_is_set(host: str, url: str) -> None:
    assert serve.public_url(Settings(), host, 8000) == url
    assert serve.public_url(Settings(public_url="https://set.example"), host, 8000) == "https://set.example"


def test_help_imports_nothing_heavy() -> None:
    heavy = (
        "import sys, app.cli; print({'pydantic', 'sqlalchemy', 'llama_index', 'fastapi', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_log_lines_are_json_and_the_access_lines_members_lie_in_them() -> None:
    access = logging.LogRecord("app.access", logging.INFO, "", 0, "%s", ('{"status": 200}',), None)
    other = logging.LogRecord("app", logging.WARNING, "", 0, "two\nlines", None, None)
    assert json.loads(Lines().format(access))["status"] == 200
    assert json.loads(Lines().format(other))["message"] == "two\nlines"

"""What an operator does: organizations and keys, files in, questions, the demo; refusals are sentences."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import uuid
from pathlib import Path

import httpx
import pytest
from fpdf import FPDF

from tests.e2e.running import free_port, kb, last_line, serving

SECRET = r"kb_[0-9A-Za-z]{46}"


@pytest.fixture(scope="module")
def home(folder: Path, url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of one's own, with the model that the shared service has converted already."""
    assert url
    made = tmp_path_factory.mktemp("home")
    shutil.copytree(folder / "models", made / "models")
    return made


@pytest.fixture(scope="module")
def organization(home: Path) -> str:
    return last_line(home, "admin", "create-org", "Ullaby", "--plan", "pro")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """One file of each kind."""
    made = tmp_path / "handbook"
    (made / "people").mkdir(parents=True)
    (made / "people" / "leave.md").write_text("# Parental leave\n\nEvery parent takes sixteen weeks of paid leave.\n")
    (made / "hotel.txt").write_bytes(b"\xef\xbb\xbfIn Lyon a hotel may cost 145 euros a night.\r\n")
    text = "The company pays half of a bicycle for the way to work. " * 5
    (made / "bicycle.html").write_text(f"<title>Bicycles</title><nav>Home</nav><article><p>{text}</p></article>")
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=12)
    pdf.cell(text="The canteen opens at half past eleven.")
    pdf.output(str(made / "canteen.pdf"))
    return made


def test_organizations_and_keys(home: Path, organization: str) -> None:
    """The id is the last line, the secret is the last line, and both are listed, the secret never again."""
    assert uuid.UUID(organization).version == 7
    secret = last_line(home, "admin", "create-key", organization, "--name", "ci")
    assert re.fullmatch(SECRET, secret)
    listed = json.loads(kb(home, "admin", "list", "--json").stdout)
    assert {"id": organization, "name": "Ullaby", "plan": "pro"}.items() <= listed[0].items()
    keys = kb(home, "admin", "keys", organization, "--json").stdout
    assert [key["name"] for key in json.loads(keys)] == ["ci"]
    assert secret not in keys
    assert kb(home, "admin", "set-plan", organization, "enterprise").returncode == 0
    assert json.loads(kb(home, "admin", "list", "--json").stdout)[0]["plan"] == "enterprise"


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (["admin", "create-key", "nowhere"], {}),
        (["admin", "create-key", "01234567-89ab-7def-8123-456789abcdef"], {}),
        (["admin", "create-org", "  "], {}),
        (["admin", "create-org", "X", "--plan", "gold"], {}),
        (["admin", "set-plan", "01234567-89ab-7def-8123-456789abcdef", "pro"], {}),
        (["admin", "check", "nowhere"], {}),
        (["admin", "reindex", "nowhere"], {}),
        (["admin", "keys", "nowhere"], {}),
        (["ask", "Why?", "--organization", "nowhere"], {}),
        (["ingest", "/nowhere"], {}),
        (["serve", "--workers", "2"], {}),
        (["serve"], {"KB_INDEX_WAIT": "soon"}),
        (["serve"], {"KB_LIMITS": "maybe"}),
        (["admin", "list"], {"KB_DATABASE_URL": "mysql://localhost/kb"}),
        (["admin", "list"], {"KB_DATABASE_URL": "nonsense"}),
        (["admin", "list"], {"KB_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/kb"}),
        (["admin", "list"], {"KB_DATA_DIR": "/dev/null/kb"}),
        (["serve"], {"KB_EMBEDDING_BASE_URL": "http://127.0.0.1:9/v1"}),
        (["serve", "--demo"], {"KB_DEMO_DATA": "/nowhere"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else ",".join(value),
)
def test_refusals(home: Path, organization: str, arguments: list[str], settings: dict[str, str]) -> None:
    """What cannot be is one short message and exit code 1, never a stack."""
    assert organization
    options = ["--port", str(free_port())] if arguments[0] == "serve" else []
    done = kb(home, *arguments, *options, **settings)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr + done.stdout
    assert 10 < len(done.stderr) < 500
    assert done.stdout == ""


def test_port_in_use(home: Path, url: str) -> None:
    """A port that somebody else has is told at once."""
    done = kb(home, "serve", "--port", url.rpartition(":")[2])
    assert done.returncode == 1
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


def test_second_server_in_a_folder(folder: Path, url: str) -> None:
    """A folder whose embedded Chroma has its one process refuses another."""
    assert url
    done = kb(folder, "serve", "--port", str(free_port()))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_ingest_files(home: Path, organization: str, files: Path) -> None:
    """A folder's files become documents, and a question about any of them is answered with a citation."""
    taken = kb(home, "ingest", str(files), "--json")
    assert taken.returncode == 0, taken.stderr
    assert (json.loads(taken.stdout)["created"], json.loads(taken.stdout)["failed"]) == (4, 0)
    for question, word in (
        ("How many weeks of paid leave does every parent take?", "sixteen"),
        ("What may a hotel in Lyon cost?", "145"),
        ("Which part of a bicycle does the company pay?", "half"),
        ("When does the canteen open?", "eleven"),
    ):
        answer = json.loads(kb(home, "ask", question, "--json", "--organization", organization).stdout)
        assert word in answer["answer"], question
        assert answer["citations"]
    again = json.loads(kb(home, "ingest", str(files), "--json").stdout)
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 0, 4)
    (files / "hotel.txt").write_text("In Lyon a hotel may cost 160 euros a night.")
    again = json.loads(kb(home, "ingest", str(files), "--json").stdout)
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 1, 3)


def test_ingest_failures(home: Path, organization: str, files: Path) -> None:
    """What cannot be taken in is told with its reason, the rest is taken in, and the exit code is 1."""
    (files / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (files / "empty.md").write_text("   ")
    done = kb(home, "ingest", str(files), "--organization", organization, "--source", "mine", "--json")
    result = json.loads(done.stdout)
    assert "broken.pdf" in {failure["name"] for failure in result["failures"]}
    assert all(failure["reason"] for failure in result["failures"])
    assert done.returncode == 1
    assert result["created"] == 4


@pytest.mark.parametrize("whole_folder", [True, False], ids=["folder", "file"])
def test_ingest_corpus(home: Path, organization: str, tmp_path: Path, whole_folder: bool) -> None:
    """A corpus in BEIR's layout is taken in by its file or its folder; each line may name its source."""
    name = f"corpus-{whole_folder}"
    lines = [
        {
            "_id": "a",
            "title": "Herons",
            "text": "Herons nest by rivers.",
            "metadata": {"source": f"{name}-birds", "year": 2020},
        },
        {"_id": "b", "title": "Foxes", "text": "Foxes sleep under hedges."},
    ]
    corpus = tmp_path / name / "corpus.jsonl"
    corpus.parent.mkdir()
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (corpus.parent / "README.md").write_text("# Not a document of the corpus")
    done = kb(home, "ingest", str(corpus.parent if whole_folder else corpus), "--organization", organization, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["created"] == 2
    asked = kb(home, "ask", "Where do herons nest?", "-o", organization, "--source", f"{name}-birds", "--json")
    assert json.loads(asked.stdout)["citations"][0]["metadata"] == {"year": 2020}


def test_ask(home: Path, organization: str, files: Path) -> None:
    """An answer is shown with its citations; streamed, it is the same."""
    assert kb(home, "ingest", str(files), "--organization", organization).returncode in (0, 1)
    question = ["ask", "How many weeks of paid leave does every parent take?", "--organization", organization]
    shown = kb(home, *question).stdout
    assert "sixteen" in shown
    assert "[1]" in shown
    assert kb(home, *question, "--stream").stdout.split() == shown.split()


def test_check(home: Path, organization: str) -> None:
    """After all of that database and indexes agree."""
    done = kb(home, "admin", "check", "--json")
    assert done.returncode == 0, done.stdout
    assert [report["differences"] for report in json.loads(done.stdout)] == [[]]
    assert kb(home, "admin", "reindex", organization).returncode == 0


def test_beside_a_server(folder: Path, url: str, keys: tuple[str, str], files: Path) -> None:
    """Beside a server the command line takes documents in, which the server indexes; it asks and checks."""
    with httpx.Client(base_url=url, headers={"X-API-Key": keys[1]}, timeout=60) as client:
        organization = next(
            one["id"] for one in json.loads(kb(folder, "admin", "list", "--json").stdout) if one["name"] == "Second"
        )
        done = kb(folder, "ingest", str(files), "--organization", organization, "--source", "beside", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["created"] == 4
        asked = {"question": "When does the canteen open?", "filters": {"sources": ["beside"]}}
        assert "eleven" in client.post("/api/ai/query", json=asked).json()["answer"]
        beside = kb(folder, "ask", asked["question"], "--organization", organization, "--source", "beside")
        assert "eleven" in beside.stdout, beside.stderr
        assert kb(folder, "admin", "check", organization).returncode == 0
        assert client.delete("/api/documents?source=beside").json() == {"deleted": 4}


def test_revoked_key(url: str, folder: Path, keys: tuple[str, str]) -> None:
    """A key made while the server runs works at once."""
    assert keys
    organization = json.loads(kb(folder, "admin", "list", "--json").stdout)[0]["id"]
    secret = last_line(folder, "admin", "create-key", organization)
    assert httpx.get(f"{url}/api/documents", headers={"X-API-Key": secret}).status_code == 200


def test_demo(home: Path, tmp_path: Path) -> None:
    """The demo prints a curl line that answers; at its next start it has a new key, and the old one is dead."""
    shutil.copytree(home / "models", tmp_path / "models")
    first, _ = _demo(tmp_path)
    second, url = _demo(tmp_path, old=first)
    assert first != second
    assert url


def _demo(folder: Path, old: str | None = None) -> tuple[str, str]:
    (folder / "serve.log").unlink(missing_ok=True)
    with serving(folder, "--demo") as (url, process):
        printed = _printed(folder, process)
        [secret] = set(re.findall(SECRET, printed))
        line = next(line.strip() for line in printed.splitlines() if line.strip().startswith("curl"))
        answer = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout
        assert json.loads(answer)["citations"]
        if old:
            assert httpx.get(f"{url}/api/documents", headers={"X-API-Key": old}).status_code == 401
        return secret, url


def _printed(folder: Path, process: subprocess.Popen[bytes]) -> str:
    """What the demo says once it is ready."""
    import time

    for _ in range(1200):
        printed = (folder / "serve.log").read_text()
        if "curl" in printed and printed.endswith("\n"):
            return printed
        assert process.poll() is None, printed
        time.sleep(0.1)
    raise AssertionError(printed)

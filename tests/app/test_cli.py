"""The command line against a real knowledge base in a fresh folder."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import Result
from filelock import FileLock

from tests.app.conftest import Run
from tests.app.test_cli_reading import PAGE, make_pdf
from tests.pipelines.conftest import WordHashing


@pytest.fixture
def organization(run: Run) -> str:
    return last_line(run("admin", "create-org", "Acme"))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "travel.md").write_text("# Travel\n\nA night in a hotel in Lyon may cost 145 euros.\n")
    (folder / "heron.txt").write_text("The blue heron nests by the river.")
    (folder / "leave.html").write_text(PAGE)
    make_pdf(folder / "badge.pdf", "The badge office opens at nine.")
    return folder


def last_line(result: Result) -> str:
    return result.stdout.splitlines()[-1]


def as_json(result: Result) -> dict[str, object]:
    [line] = result.stdout.splitlines()
    value: dict[str, object] = json.loads(line)
    return value


def test_help_names_every_command(run: Run) -> None:
    assert all(name in run("--help").stdout for name in ("serve", "ingest", "ask", "admin"))


# --- admin


def test_the_last_line_is_the_id_and_the_secret(run: Run) -> None:
    organization = last_line(run("admin", "create-org", "Acme", "--plan", "pro"))
    assert UUID(organization).version == 7
    secret = last_line(run("admin", "create-key", organization, "--name", "ci"))
    assert secret not in run("admin", "keys", organization).stdout
    assert "ci" in run("admin", "keys", organization).stdout


def test_plans_change(run: Run, organization: str) -> None:
    run("admin", "set-plan", organization, "enterprise")
    [there] = json.loads(run("admin", "list", "--json").stdout)
    assert (there["id"], there["name"], there["plan"]) == (organization, "Acme", "enterprise")


def test_json_of_keys_has_the_secret_only_when_made(run: Run, organization: str) -> None:
    made = as_json(run("admin", "create-key", organization, "--json"))
    [listed] = json.loads(run("admin", "keys", organization, "--json").stdout)
    assert listed == {name: value for name, value in made.items() if name != "secret"}
    assert str(made["secret"]).startswith(listed["prefix"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("admin", "create-org", " "),
        ("admin", "create-org", "Acme", "--plan", "gold"),
        ("admin", "set-plan", "{organization}", "gold"),
        ("admin", "create-key", "{organization}", "--name", ""),
        ("admin", "create-key", "nobody"),
        ("admin", "keys", "01a1fe26-960b-7712-9597-303a6e9541fa"),
        ("admin", "check", "nobody"),
        ("admin", "reindex", "nobody"),
        ("ask", "Where?", "--organization", "nobody"),
        ("ask", " "),
        ("ingest", "nowhere"),
        ("serve", "--workers", "2"),
    ],
)
def test_a_refusal_is_one_sentence_and_exit_code_1(run: Run, organization: str, arguments: tuple[str, ...]) -> None:
    result = run(*(argument.format(organization=organization) for argument in arguments), code=1)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("KB_LIMITS", "perhaps", "KB_LIMITS"),
        ("KB_INDEX_WAIT", "soon", "KB_INDEX_WAIT"),
        ("KB_DATABASE_URL", "mysql://localhost/kb", "KB_DATABASE_URL"),
        ("KB_CHROMA_URL", "chroma:8000", "KB_CHROMA_URL"),
        ("KB_LLM_BASE_URL", "http://localhost:1/v1", "KB_LLM_MODEL"),
        ("KB_EMBEDDING_BASE_URL", "http://localhost:1/v1", "KB_EMBEDDING_MODEL"),
        ("KB_RERANKER_BASE_URL", "localhost:1", "KB_RERANKER_BASE_URL"),
    ],
)
def test_a_setting_that_cannot_be_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    stderr = run("admin", "list", code=1).stderr
    assert told in stderr
    assert len(stderr.splitlines()) == 1


def test_a_reranker_that_is_not_there_is_told(run: Run, organization: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_RERANKER_MODEL", "no-such-folder")
    stderr = run("ask", "Where?", "--organization", organization, code=1).stderr
    assert "no-such-folder" in stderr
    assert len(stderr.splitlines()) == 1


def test_a_database_that_cannot_be_reached_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert len(run("admin", "list", code=1).stderr.splitlines()) == 1


# --- ingest


def test_files_of_other_kinds_are_told(run: Run, organization: str, documents: Path) -> None:
    for name in ("plan.docx", "old.DOCX", "Makefile", ".hidden.png"):
        (documents / name).write_text("Text.")
    result = run("ingest", documents, "--organization", organization)
    assert result.stderr.splitlines() == [
        "Files of kinds that cannot be read are left out: 1 without a suffix, 2 .docx"
    ]
    assert result.stdout.startswith("4 created")
    for name in ("plan.docx", "old.DOCX", "Makefile"):
        (documents / name).unlink()
    assert run("ingest", documents).stderr == ""


def test_a_folder_goes_in_and_is_cited(run: Run, organization: str, documents: Path) -> None:
    counts = as_json(run("ingest", documents, "--json"))
    assert (counts["created"], counts["failed"]) == (4, 0)
    answer = as_json(run("ask", "What may a night in a hotel in Lyon cost?", "--json"))
    citations = answer["citations"]
    assert isinstance(citations, list)
    assert citations[0]["external_id"] == "travel.md"
    assert "145 euros" in str(answer["answer"])


def test_a_second_time_skips_what_is_unchanged(run: Run, organization: str, documents: Path) -> None:
    run("ingest", documents)
    (documents / "heron.txt").write_text("The grey heron nests by the lake.")
    counts = as_json(run("ingest", documents, "--json"))
    assert (counts["created"], counts["updated"], counts["unchanged"]) == (0, 1, 3)


def test_what_fails_is_told_with_its_reason_and_the_rest_goes_in(run: Run, organization: str, documents: Path) -> None:
    (documents / "empty.md").write_text("")
    make_pdf(documents / "scan.pdf", "")
    result = run("ingest", documents, code=1)
    assert "4 created" in result.stdout
    assert "empty.md" in result.stderr
    assert "scan.pdf" in result.stderr


def test_more_than_one_batch_of_a_corpus(run: Run, organization: str, tmp_path: Path) -> None:
    rows = [{"_id": str(n), "title": f"Page {n}", "text": f"Word{n} is here."} for n in range(120)]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)) + '\n{"_id": "empty", "text": ""}\n')
    counts = as_json(run("ingest", corpus, "--source", "wiki", "--json", code=1))
    assert (counts["created"], counts["failed"]) == (120, 1)
    assert counts["failures"] == [{"name": "empty", "reason": "its text is empty"}]


def test_several_organizations_have_to_be_told_apart(run: Run, organization: str, documents: Path) -> None:
    other = last_line(run("admin", "create-org", "Other"))
    refusal = run("ingest", documents, code=1).stderr
    assert organization in refusal
    assert other in refusal
    run("ingest", documents, "--organization", other)
    assert as_json(run("ask", "heron", "-o", organization, "--json"))["citations"] == []


def test_without_an_organization_it_says_how_to_make_one(run: Run, documents: Path) -> None:
    assert "create-org" in run("ingest", documents, code=1).stderr


def test_beside_a_server_that_stands_still_it_does_not_wait_for_ever(
    run: Run, organization: str, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.commands.following.STALLED", 0.5)
    with FileLock(tmp_path / "data" / "index.lock"):
        assert "4 documents are pending" in run("ingest", documents, code=1).stderr
    counts = as_json(run("ingest", documents, "--json"))
    assert (counts["unchanged"], counts["failed"]) == (4, 0)


# --- ask


def test_the_answer_has_its_citations_below(run: Run, organization: str, documents: Path) -> None:
    run("ingest", documents)
    shown = run("ask", "Where does the blue heron nest?").stdout
    assert "[1] heron (documents/heron.txt)" in shown
    assert "Confidence" in shown


def test_a_stream_is_the_same_answer(run: Run, organization: str, documents: Path) -> None:
    run("ingest", documents)
    question = "Where does the blue heron nest?"
    lines = run("ask", question, "--stream", "--json").stdout.splitlines()
    *pieces, answer = map(json.loads, lines)
    assert "".join(piece["text"] for piece in pieces) == answer["answer"]
    assert answer["answer"] == as_json(run("ask", question, "--json"))["answer"]
    assert answer["answer"] in run("ask", question, "--stream").stdout


def test_a_source_narrows_the_question(run: Run, organization: str, documents: Path) -> None:
    run("ingest", documents)
    asked = ("ask", "Where does the blue heron nest?", "--json", "--source")
    assert as_json(run(*asked, "documents"))["citations"]
    assert as_json(run(*asked, "elsewhere"))["citations"] == []


# --- check and reindex


def test_check_finds_and_repairs_what_differs(run: Run, organization: str, documents: Path, tmp_path: Path) -> None:
    run("ingest", documents)
    [report] = json.loads(run("admin", "check", "--json").stdout)
    assert (report["documents"], report["differences"]) == (4, [])
    lose_passages(tmp_path / "data")
    run("admin", "check", organization, code=1)
    run("admin", "check", organization, "--repair")
    run("admin", "check")


def lose_passages(data: Path) -> None:
    """What the database does not know of any more stays in the indexes."""
    import sqlite3

    with sqlite3.connect(data / "kb.sqlite3") as database:
        database.execute("DELETE FROM passages WHERE id = (SELECT max(id) FROM passages)")
    database.close()


def test_reindex_leaves_all_in_agreement(run: Run, organization: str, documents: Path) -> None:
    run("ingest", documents)
    assert as_json(run("admin", "reindex", organization, "--json"))["differences"] == []


def test_another_model_names_the_command_that_helps(
    run: Run, organization: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", documents)
    monkeypatch.setattr(
        "pipelines.configuration.resolve_embedding", lambda **_: WordHashing(embedded=[], name="other/1")
    )
    [command] = re.findall(r"kb (admin reindex \S+)", run("ask", "heron", code=1).stderr)
    assert command == f"admin reindex {organization}"
    run(*command.split())
    assert as_json(run("ask", "Where does the blue heron nest?", "--json"))["citations"]

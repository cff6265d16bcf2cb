"""`python -m eval` says what was measured, keeps a folder for the next run, and fails where a promise is broken."""

import json

import pytest
from typer.testing import CliRunner

from eval import __main__ as command
from eval.types import Cited, Found, Reply

CORPUS = [{"_id": "a", "title": "A", "text": "Booked 14 days ahead."}, {"_id": "b", "title": "B", "text": "Other."}]
QUERIES = [{"_id": "q", "text": "When?", "answers": ["14 days"]}]
GOOD = Reply("Booked 14 days ahead. [1]", 0.9, (Cited("a", "Booked 14 days ahead."),))


class Scripted:
    def __init__(self, reply):
        self.reply = reply
        self.opened = []

    async def open(self, folder, name, **options):
        self.opened.append((folder, name, options))
        return self

    async def ingest(self, documents):
        self.ingested = [document.external_id for document in documents]

    async def search(self, question, limit=10, filters=None):
        return [Found("b", "", 1.0), Found("a", "", 0.5)]

    async def ask(self, question, max_citations=5, filters=None):
        return self.reply

    async def close(self):
        self.closed = True


@pytest.fixture
def library(monkeypatch):
    target = Scripted(GOOD)
    monkeypatch.setattr(command, "PipelineTarget", target)
    return target


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    return folder


def run(*arguments):
    return CliRunner().invoke(command.app, [str(argument) for argument in arguments])


def test_retrieval_prints_a_row_for_each_mode(library, data, tmp_path):
    """Each mode opens the same kept folder in its own way; everything is closed; the rest is in the JSON file."""
    out = tmp_path / "out.json"
    modes = ("--mode", "hybrid", "--mode", "vectors", "--mode", "lexical")
    result = run("retrieval", data, *modes, "--folder", tmp_path / "kept", "--json", out)
    assert result.exit_code == 0, result.output
    rows = [line.split(" | ") for line in result.stdout.splitlines()[2:]]
    assert [[cell.strip(" |") for cell in row[:2]] for row in rows] == [
        ["small", "hybrid"],
        ["small", "vectors"],
        ["small", "lexical"],
    ]
    assert {folder for folder, _, _ in library.opened} == {tmp_path / "kept" / "small"}
    assert library.opened[1][2]["fusion"].lexical_weight == 0
    assert library.opened[2][2] == {"words_only": True}
    assert library.closed
    assert json.loads(out.read_text())[0]["report"]["per_question"]["MRR@10"] == {"q": 0.5}


def test_an_unknown_mode_is_refused(library, data):
    """The name that is not known is in the message."""
    result = run("retrieval", data, "--mode", "magic")
    assert result.exit_code == 2
    assert "magic" in result.output


def test_a_service_has_no_modes(library, data):
    """Fusion is a setting of the library, not of a request."""
    result = run("retrieval", data, "--mode", "lexical", "--target", "http://localhost:1")
    assert result.exit_code == 2


def test_a_service_takes_one_data_set(library, data):
    """Two data sets in one organization would be searched together."""
    result = run("retrieval", data, data, "--target", "http://localhost:1")
    assert result.exit_code == 2


def test_good_answers_pass(library, data):
    """All promises kept: exit code 0 and no verdict NO in the table."""
    (data / "queries.jsonl").write_text(json.dumps(QUERIES[0]) + "\n" + json.dumps(unanswerable()) + "\n")

    async def ask(question, max_citations=5, filters=None):
        return Reply("Nothing was found.", 0.0) if question == "Moon?" else GOOD

    library.ask = ask
    result = run("handbook", "--data", data)
    assert result.exit_code == 0, result.output
    assert " NO |" not in result.stdout


def unanswerable():
    return {"_id": "u", "text": "Moon?", "answers": [], "answerable": False, "kind": "other"}


def test_a_broken_promise_is_an_exit_code(library, data):
    """A snippet that is not verbatim breaks its promise; the wrong answers are shown when asked for."""
    library.reply = Reply("Soon. [1]", 0.9, (Cited("b", "Booked 14 days ahead."),))
    result = run("handbook", "--data", data, "--worst", "3")
    assert result.exit_code == 1
    assert " NO |" in result.stdout
    assert "q: When?" in result.stdout


def test_a_service_needs_its_key(data, monkeypatch, capsys):
    """The variable that is missing is named, in a sentence and not a stack."""
    monkeypatch.delenv("NO_KEY", raising=False)
    arguments = ["eval", "retrieval", str(data), "--target", "http://localhost:1", "--key-env", "NO_KEY"]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit, match="NO_KEY"):
        command.main()


def test_a_folder_that_is_no_data_set_is_a_sentence(tmp_path, monkeypatch):
    """A wrong path ends with the file's name, not with a stack."""
    monkeypatch.setattr("sys.argv", ["eval", "retrieval", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit, match=r"corpus\.jsonl"):
        command.main()

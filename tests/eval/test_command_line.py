"""`python -m eval` says what was measured, goes on where it was stopped, and fails where a floor is broken."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from eval import __main__ as command
from eval import comparison, judging, measures, opening
from eval.judging import RagasMissing
from eval.records import load_run
from eval.types import Cited, Found, Reply
from pipelines.configuration import Configuration

CORPUS = [{"_id": "a", "title": "A", "text": "Booked 14 days ahead."}, {"_id": "b", "title": "B", "text": "Other."}]
QUERIES = [
    {"_id": "q", "text": "When?", "answers": ["14 days"]},
    {"_id": "u", "text": "Moon?", "answerable": False, "kind": "other"},
]
GOOD = Reply("Booked 14 days ahead. [1]", 0.9, (Cited("a", "Booked 14 days ahead."),))
BAD = Reply("Soon. [1]", 0.9, (Cited("b", "Booked 14 days ahead."),))
FLOORS = "[small]\nright = { at_least = 0.9 }\nverbatim = { at_least = 1.0 }\n"


class Scripted:
    waited = 0.0

    def __init__(self):
        self.replies = {"When?": GOOD, "Moon?": Reply("Nothing was found.", 0.0)}
        self.opened = []

    async def open(self, folder, name, **options):
        self.opened.append((folder, name, options))
        return self

    async def ingest(self, documents):
        pass

    async def search(self, question, limit=10, filters=None):
        return [Found("b", "", 1.0), Found("a", "", 0.5)]

    async def ask(self, question, max_citations=5, filters=None):
        return self.replies[question]

    async def close(self):
        pass


@pytest.fixture
def library(monkeypatch):
    target = Scripted()
    monkeypatch.setattr(opening, "PipelineTarget", target)
    monkeypatch.setattr(Configuration, "options", lambda self, folder: {})
    monkeypatch.setattr(measures, "RESAMPLES", 20)
    monkeypatch.setattr(comparison, "ROUNDS", 20)
    return target


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run.json"


def run(*arguments):
    return CliRunner().invoke(command.app, [str(argument) for argument in arguments])


def test_a_run_prints_a_table_and_writes_a_report(library, data, out):
    """A line a measure; the rows are in the file, and no longer beside it."""
    result = run("run", data, "--out", out, "--seed", 7)
    assert result.exit_code == 0, result.output
    lines = {line.split("|")[1].strip(): line for line in result.stdout.splitlines()}
    assert "0.500" in lines["MRR@10"]
    assert "1.000" in lines["right"]
    report = load_run(out)
    assert report.provenance["seed"] == 7
    assert [row.id for row in report.rows] == ["q", "u"]
    assert not out.with_suffix(".jsonl").exists()


def test_several_suites_have_a_mean(library, data, out, tmp_path):
    """Each is a column; measures that one of them lacks have none."""
    (tmp_path / "more.jsonl").write_text('{"question": "When?", "answer": "never"}\n')
    (tmp_path / "corpus.jsonl").write_text((data / "corpus.jsonl").read_text())
    result = run("run", "small", "more.jsonl", "--data", tmp_path, "--out", out)
    assert result.exit_code == 0, result.output
    lines = {line.split("|")[1].strip(): line.split("|") for line in result.stdout.splitlines()}
    assert [cell.strip() for cell in lines["measure"][2:5]] == ["small", "more", "mean"]
    assert lines["right"][4].strip() == "0.500"
    assert lines["refused"][4].strip() == "–"


def test_the_worst_are_printed(library, data, out):
    """What was surely wrong comes before what was right."""
    library.replies["When?"] = BAD
    result = run("run", data, "--out", out, "--worst", 1)
    assert "small/q: When?\n  gold: 14 days\n  said: Soon. [1]\n  cited: b, confidence 0.90" in result.stdout


def test_a_part_of_the_questions_can_be_asked(library, data, out):
    """And a part of the measures."""
    assert run("run", data, "--out", out, "--limit", 1, "--only", "answers").exit_code == 0
    report = load_run(out)
    assert len(report.rows) == 1
    assert report.provenance["limit"] == 1
    assert "MRR@10" not in report.suites[0].measures


def test_a_run_in_which_everything_fails_is_an_exit_code(library, data, out):
    """The report tells why; the same command asks again."""
    library.replies.clear()
    result = run("run", data, "--out", out)
    assert result.exit_code == 1
    assert "failed: small/q: KeyError: 'When?'" in result.stderr
    library.replies = {"When?": GOOD, "Moon?": GOOD}
    assert run("run", data, "--out", out).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mode", "magic"], "magic"),
        (["--only", "magic"], "magic"),
        (["--mode", "lexical", "--target", "http://localhost:1"], "own way"),
        (["small", "--target", "http://localhost:1"], "one at a time"),
    ],
)
def test_what_makes_no_sense_is_refused(library, data, arguments, message):
    """With exit code 2, as any wrong command."""
    result = run("run", data, *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere"], "there is no suite nowhere"),
        (["run", "handbook", "--target", "http://localhost:1", "--key-env", "NO_KEY"], "NO_KEY"),
        (["run", "handbook", "--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 cannot be evaluated"),
        (["run", "handbook", "handbook"], "same name"),
        (["run", "mine.jsonl"], "mine has no documents"),
        (["run", "handbook", "--config", "nowhere.toml"], "nowhere.toml"),
        (["gate", "nowhere.json"], "nowhere.json"),
        (["compare", "nowhere.json", "nowhere.json"], "nowhere.json"),
    ],
)
def test_what_cannot_be_is_a_sentence(monkeypatch, arguments, message, tmp_path):
    """And not a stack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_KEY", raising=False)
    monkeypatch.setenv("KB_API_KEY", "wrong")
    (tmp_path / "mine.jsonl").write_text('{"question": "When?"}')
    monkeypatch.setattr("sys.argv", ["eval", *arguments])
    with pytest.raises(SystemExit, match=message):
        command.main()


def test_a_gate_opens_and_closes(library, data, out, tmp_path):
    """Exit code 0 with floors kept, 1 with a line for each broken one."""
    floors = tmp_path / "floors.toml"
    floors.write_text(FLOORS)
    run("run", data, "--out", out)
    kept = run("gate", out, "--thresholds", floors)
    assert (kept.exit_code, kept.stdout) == (0, "all 2 floors are kept\n")
    library.replies["When?"] = BAD
    run("run", data, "--out", out)
    broken = run("gate", out, "--thresholds", floors)
    assert broken.exit_code == 1
    assert broken.stdout.splitlines() == ["small right is 0, wanted ≥ 0.900", "small verbatim is 0, wanted ≥ 1.000"]


def test_two_runs_are_compared(library, data, out, tmp_path):
    """The table, whether it is more than chance, what changed."""
    run("run", data, "--out", out)
    library.replies["When?"] = BAD
    run("run", data, "--out", tmp_path / "b.json")
    result = run("compare", out, tmp_path / "b.json")
    assert result.exit_code == 0, result.output
    assert "None of " in result.stdout
    assert "the runs have the same library and settings" in result.stdout
    assert "small/q: When?\n  A: Booked 14 days ahead." in result.stdout


def test_a_judge_has_an_address_and_a_model(library, data):
    """One without the other is a mistake."""
    assert run("run", data, "--judge-model", "m").exit_code == 2
    assert run("run", data, "--judge-base-url", "http://localhost:1").exit_code == 2


def test_without_ragas_nothing_is_asked(library, data, out, monkeypatch):
    """The way to it is said at once, not after an hour of questions."""

    def missing():
        raise RagasMissing("make eval-env")

    monkeypatch.setattr(judging, "ragas", missing)
    result = run("run", data, "--out", out, "--ragas")
    assert isinstance(result.exception, RagasMissing)
    assert library.opened == []


def test_what_a_judge_says_is_in_the_report(library, data, out, monkeypatch):
    """Its failed cases are counted in the table and told; its address and model are in the report, its key is not."""

    async def judged(rows, texts, judge=None, embedding=None):
        metrics = {"ragas_faithfulness": float("nan")}
        return [replace(row, metrics=row.metrics | metrics, judge_errors={"ragas_faithfulness": "no"}) for row in rows]

    monkeypatch.setenv("JUDGE_API_KEY", "secret")
    monkeypatch.setattr(judging, "ragas", lambda: None)
    monkeypatch.setattr(judging, "judged", judged)
    monkeypatch.setattr(opening, "resolve_embedding", lambda data_folder: None)
    result = run("run", data, "--out", out, "--judge-base-url", "http://localhost:1", "--judge-model", "m")
    assert result.exit_code == 0, result.output
    assert "–, 2 failed" in result.stdout
    assert "failed: small/q: ragas_faithfulness: no" in result.stderr
    assert load_run(out).provenance["judge"] == {"base_url": "http://localhost:1", "model": "m", "most_calls": 2000}
    assert "secret" not in out.read_text()


def test_a_report_is_a_page(library, data, out, tmp_path):
    """Alone, and beside the run before."""
    run("run", data, "--out", out)
    for more in ([], ["--baseline", out]):
        result = run("report", out, "--html", tmp_path / "new" / "page.html", *more)
        assert result.exit_code == 0, result.output
        text = (tmp_path / "new" / "page.html").read_text()
        assert text.startswith("<!doctype html>")
        assert ("Since the run before" in text) == bool(more)

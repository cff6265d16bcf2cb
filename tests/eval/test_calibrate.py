"""Refusal and confidence are fitted by a command, to evidence that a knowledge base gave."""

import json
import math
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from eval import __main__ as command
from eval import calibrate
from eval.datasets import DatasetError, load
from eval.suites import fingerprint
from pipelines.calibration import ANY, BUILT_IN, FILE, READ, calibration_for, read_calibration, save_calibrations
from tests.pipelines.answering.retrievals import hit, retrieval

BIRDS = ["heron", "kite", "stork", "crane", "eagle", "raven", "finch", "robin", "swift", "wren"]
TOOLS = ["hammer", "saw", "drill", "wrench", "plane", "chisel", "level", "clamp", "file", "vise"]


def write(folder, things):
    """A document and an answerable question of each thing, a question that nothing answers of each but the first."""
    folder.mkdir()
    corpus = [
        {"_id": thing, "title": thing, "text": f"The {thing} is found in room {n}."} for n, thing in enumerate(things)
    ]
    asked = [{"_id": t, "text": f"In which room is the {t}?", "answers": [f"room {n}"]} for n, t in enumerate(things)]
    missed = [{"_id": f"no-{t}", "text": f"Who paid for the {t}?", "answerable": False} for t in things[1:]]
    strange = [{"_id": "moon", "text": "How far is the moon?", "answerable": False, "kind": "other"}]
    for name, rows in (("corpus", corpus), ("queries", asked + missed + strange)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gold = "".join(f"{thing}\t{thing}\t1\n" for thing in things)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{gold}")
    return folder


class Shelf:
    """Finds the documents whose titles are asked for with a high cosine, and others with a low one."""

    async def open(self, folder, name, *, embedding):
        return self

    async def ingest(self, documents):
        self.documents = documents

    async def retrieve(self, question, limit):
        hits = []
        for number, document in enumerate(self.documents):
            cosine = 0.3 * (document.title in question) + 0.4 * ("room" in question) + 0.1
            one = hit(document.content, number + 1, title=document.title, cosine=cosine, score=cosine)
            hits.append(replace(one, external_id=document.external_id))
        return retrieval(question, sorted(hits, key=lambda one: -one.cosine)[:limit])

    async def close(self):
        pass


class Reader:
    """A classifier that knows what rooms are asked for."""

    def log_odds(self, question, text):
        return 2.0 if "room" in question else -2.0


@pytest.fixture
def folders(tmp_path):
    return [write(tmp_path / "birds", BIRDS), write(tmp_path / "tools", TOOLS)]


@pytest.fixture
async def collected(folders):
    birds, tools = map(load, folders)
    shelves = {}
    for one, other in ((birds, tools), (tools, birds)):
        shelf = Shelf()
        await shelf.ingest(one.documents)
        shelves[one.name] = await calibrate.collect(one, [other], shelf)
    return shelves


async def test_a_knowledge_base_is_asked_its_own_questions_and_strange_ones(collected):
    """Twenty of its own, one of them off topic, and what the other set asks, but for that."""
    examples = collected["birds"].examples
    assert len(examples) == 20 + 19
    assert sum(one.is_answerable for one in examples) == 10
    assert sum(not one.is_near for one in examples) == 1 + 19
    assert all(one.is_right for one in examples if one.is_answerable)
    assert sum(is_gold for _, is_gold in collected["birds"].passages) == 10


async def test_a_set_is_judged_by_a_fit_to_the_others_too(collected):
    """What separates birds from nothing separates tools."""
    rows = calibrate.report(collected).splitlines()[2:]
    assert [[cell.strip() for cell in row.split("|")[1:3]] for row in rows] == [
        ["birds", "all"],
        ["birds", "the others"],
        ["tools", "all"],
        ["tools", "the others"],
    ]
    figures = calibrate.figures(calibrate.fit_to([collected["tools"]]), collected["birds"].examples)
    assert figures.answerable > 0.9
    assert figures.wrongly_refused < 0.2
    assert figures.strange_answered < 0.2


async def test_a_higher_threshold_refuses_more(collected):
    """Of the unanswerable questions and of the others: from none to all."""
    one = collected["birds"]
    none, some, everything = calibrate.trade_off(calibrate.fit_to([one]), one.examples, (0.0, 0.2, 1.0)).values()
    assert (none.refused, none.wrongly_refused) == (0.0, 0.0)
    assert some.refused > some.wrongly_refused
    assert (everything.refused, everything.wrongly_refused) == (1.0, 1.0)


async def test_what_cannot_be_measured_is_no_number(collected):
    """A set without unanswerable questions tells nothing of refusals that are due."""
    answerable = [one for one in collected["birds"].examples if one.is_answerable]
    figures = calibrate.figures(calibrate.fit_to(collected.values()), answerable)
    assert all(map(math.isnan, (figures.answerable, figures.refused, figures.strange_answered)))


def test_the_command_writes_a_calibration_that_says_where_it_is_from(folders, tmp_path, monkeypatch):
    """For the built-in model and for others; the handbook is among the sets; no path is told."""
    monkeypatch.setattr(command, "PipelineTarget", Shelf())
    monkeypatch.setattr(command, "HANDBOOK", folders[1])
    monkeypatch.setattr(command, "load_classifier", lambda _: Reader())
    out = tmp_path / "calibration.json"
    result = CliRunner().invoke(command.app, ["calibrate", str(folders[0]), "--out", str(out)])
    assert result.exit_code == 0, result.output
    written = json.loads(out.read_text())
    provenance = written["provenance"][BUILT_IN]
    assert provenance["command"] == "python -m eval calibrate birds tools"
    assert provenance["sets"]["birds"] == {"examples": 39, "sha256": fingerprint(load(folders[0]))}
    assert str(tmp_path) not in out.read_text()
    assert "cosine" in read_calibration(out).answerable.weights
    assert "cosine" not in read_calibration(out, "another").answerable.weights
    assert "the others" in result.stdout
    assert read_calibration(out).answerable_closely.weights[READ] > 0


def test_the_librarys_own_calibration_is_replaced_by_name_only(folders, tmp_path, monkeypatch):
    """Without a name it is written beside the runs; what answers here goes on as it did."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "PipelineTarget", Shelf())
    monkeypatch.setattr(command, "HANDBOOK", folders[1])
    monkeypatch.setattr(command, "load_classifier", lambda _: Reader())
    before = FILE.read_bytes()
    assert CliRunner().invoke(command.app, ["calibrate", str(folders[0])]).exit_code == 0
    assert FILE.read_bytes() == before
    assert read_calibration(tmp_path / "data" / "eval" / "calibration.json") != calibration_for()


def test_a_suite_without_documents_is_refused(tmp_path):
    """There is nothing to ask its questions of; the documents may be named apart."""
    (tmp_path / "mine.jsonl").write_text('{"question": "When?"}')
    result = CliRunner().invoke(command.app, ["calibrate", str(tmp_path / "mine.jsonl")])
    assert isinstance(result.exception, DatasetError)
    assert "mine has no documents" in str(result.exception)


async def test_another_model_has_a_calibration_of_its_own(collected, tmp_path):
    """It is written beside those that are there, which stay as they are."""
    out = tmp_path / "calibration.json"
    save_calibrations(calibrate.calibrations(collected), {"date": "2026-11-21"}, out)
    before = json.loads(out.read_text())
    save_calibrations(calibrate.calibrations(collected, "mine"), {"date": "2026-11-22"}, out)
    after = json.loads(out.read_text())
    assert after["calibrations"].keys() - before["calibrations"].keys() == {"mine"}
    assert {name: after["calibrations"][name] for name in before["calibrations"]} == before["calibrations"]
    assert {name: one["date"] for name, one in after["provenance"].items()} == {
        BUILT_IN: "2026-11-21",
        ANY: "2026-11-21",
        "mine": "2026-11-22",
    }

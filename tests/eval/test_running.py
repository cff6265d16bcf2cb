"""A run measures what a target says; what fails is a row, and what was done is not done again."""

import json
from contextlib import asynccontextmanager

import pytest

from eval import measures, running
from eval.datasets import Dataset, Question
from eval.records import RunFileError
from eval.running import ANSWERS, RETRIEVAL, Plan, journal_of
from eval.types import Cited, Found, Reply, TargetError, TargetUnavailable
from pipelines.types import NewDocument

TEXT = "Flights are booked 14 days ahead. Trains come first."
NOTHING = Reply("Nothing was found.", 0.0)
SUITE = Dataset(
    name="small",
    documents=(
        NewDocument(source="s", external_id="a", title="A", content=TEXT),
        NewDocument(source="s", external_id="b", title="B", content="Other."),
    ),
    questions=(
        Question("good", "When?", ("14 days",)),
        Question("lost", "Why?", ("because",)),
        Question("near", "Who?", answerable=False, kind="near-miss"),
        Question("other", "Moon?", answerable=False, kind="other"),
    ),
    gold={"good": {"a": 1}, "lost": {"b": 1}},
)
ANSWERS_TO = {
    "When?": Reply("14 days ahead. [1]", 0.9, (Cited("a", "14 days ahead."),), ("Which trains?", "Why?")),
    "Who?": Reply("Somebody. [1]", 0.4, (Cited("b", "Else."),), ("Which trains?",)),
    "Moon?": NOTHING,
    "Which trains?": Reply("Trains come first. [1]", 0.5, (Cited("a", "Trains come first."),)),
}


class Scripted:
    """Knows three answers; fails on every other question."""

    waited = 0.0

    def __init__(self):
        self.asked = []
        self.opened = self.closed = 0

    async def ingest(self, documents):
        self.documents = documents

    async def search(self, question, limit=10, filters=None):
        return [Found(one, "", 1.0) for one in ("b", "a")]

    async def ask(self, question, max_citations=5, filters=None):
        self.asked.append(question)
        return ANSWERS_TO[question]

    @asynccontextmanager
    async def open(self, suite):
        self.opened += 1
        await self.ingest(suite.documents)
        yield self
        self.closed += 1


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """Intervals are tested elsewhere."""
    monkeypatch.setattr(measures, "RESAMPLES", 20)


@pytest.fixture
def target():
    return Scripted()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "new" / "run.json"


async def test_a_row_is_measured_in_all_its_parts(target, out):
    """Ranking, answer and follow-ups of one question; a follow-up that fails is not answered."""
    run = await running.run(Plan(suites=(SUITE,)), target.open, out)
    good = run.rows[0]
    assert (good.answer, good.confidence, good.found, good.error) == ("14 days ahead. [1]", 0.9, ("b", "a"), "")
    assert (good.metrics["MRR@10"], good.metrics["right"], good.metrics["gold_cited"]) == (0.5, 1, 1)
    assert good.metrics["follow_ups_answered"] == 0.5
    assert good.follow_ups[1].error == "KeyError: 'Why?'"
    assert good.seconds > 0


class Limited(Scripted):
    """Takes half a second for a question, after a minute that it waits."""

    now = 0.0

    async def ask(self, question, max_citations=5, filters=None):
        self.now += 60.5
        self.waited += 60
        return await super().ask(question)


async def test_waits_for_a_rate_limit_are_no_latency(out, monkeypatch):
    """A minute of waiting says nothing of how long an answer takes, nor of how long a failure does."""
    target = Limited()
    monkeypatch.setattr(running.time, "perf_counter", lambda: target.now)
    run = await running.run(Plan(suites=(SUITE,)), target.open, out)
    assert [row.seconds for row in run.rows] == [0.5] * 4


async def test_a_question_that_fails_is_a_row(target, out):
    """With its error; the others are measured all the same."""
    run = await running.run(Plan(suites=(SUITE,)), target.open, out)
    lost = run.rows[1]
    assert (lost.error, lost.answer, lost.metrics["right"]) == ("KeyError: 'Why?'", None, 0)
    found = run.suites[0].measures
    assert (found["failed"].mean, found["right"].mean) == (0.25, 0.5)
    assert (found["refused_near_miss"].mean, found["refused_other"].mean) == (0, 1)
    assert run.suites[0].asked == 4
    assert (target.opened, target.closed) == (1, 1)


async def test_a_follow_up_is_asked_once(target, out):
    """Two questions propose the same one."""
    await running.run(Plan(suites=(SUITE,)), target.open, out)
    assert target.asked.count("Which trains?") == 1


async def test_only_rankings_ask_only_judged_questions(target, out):
    """Nothing is answered, and questions without gold documents are left out."""
    run = await running.run(Plan(suites=(SUITE,), parts=frozenset({RETRIEVAL})), target.open, out)
    assert [row.id for row in run.rows] == ["good", "lost"]
    assert target.asked == []
    assert run.suites[0].measures["MRR@10"].mean == 0.75
    assert "right" not in run.suites[0].measures


async def test_documents_that_cannot_be_put_in_fail_their_questions(out):
    """Each question is a row with that error."""

    @asynccontextmanager
    async def broken(suite):
        raise TargetError("full")
        yield

    run = await running.run(Plan(suites=(SUITE,)), broken, out)
    assert {row.error for row in run.rows} == {"TargetError: full"}
    assert run.suites[0].measures["failed"].mean == 1


@pytest.mark.parametrize("method", ["ingest", "ask"])
async def test_a_target_that_is_not_available_ends_the_run(target, out, monkeypatch, method):
    """At once, whether there are documents to put in or not; nothing is left that another run would stumble over."""

    async def unavailable(*_):
        target.asked.append(method)
        raise TargetUnavailable("wrong key")

    with monkeypatch.context() as patch:
        patch.setattr(target, method, unavailable)
        with pytest.raises(TargetUnavailable, match="wrong key"):
            await running.run(Plan(suites=(SUITE,), settings={"target": "mistyped"}), target.open, out)
    assert target.asked == [method]
    assert (await running.run(Plan(suites=(SUITE,)), target.open, out)).rows


async def test_without_rouge_the_way_to_it_is_told(target, out, monkeypatch):
    """As a note beside the table."""
    monkeypatch.setattr(running.scoring, "rouge", lambda: None)
    [note] = (await running.run(Plan(suites=(SUITE,)), target.open, out)).notes
    assert "make eval-env" in note


async def test_an_interrupted_run_goes_on(target, out):
    """What was answered is not asked again; what failed, or was cut off in the middle of a line, is."""
    plan = Plan(suites=(SUITE,), parts=frozenset({ANSWERS}))
    whole = await running.run(plan, target.open, out)
    journal = journal_of(out)
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([*lines[:4], lines[4][:50]]))
    target.asked.clear()
    resumed = await running.run(plan, target.open, out)
    assert target.asked == ["Why?", "Moon?"]
    assert [row.id for row in resumed.rows] == ["good", "lost", "near", "other"]
    assert [row.metrics for row in resumed.rows] == [row.metrics for row in whole.rows]


async def test_a_finished_suite_is_not_opened_again(target, out):
    """With all rows there, only the sums are made."""
    plan = Plan(suites=(SUITE,), parts=frozenset({ANSWERS}))
    ANSWERS_TO["Why?"] = NOTHING
    try:
        await running.run(plan, target.open, out)
        await running.run(plan, target.open, out)
    finally:
        del ANSWERS_TO["Why?"]
    assert target.opened == 1


async def test_another_run_does_not_go_on_with_these_rows(target, out):
    """What differs is named."""
    await running.run(Plan(suites=(SUITE,)), target.open, out)
    with pytest.raises(RunFileError, match=r"\(seed differs\).*--out"):
        await running.run(Plan(suites=(SUITE,), seed=1), target.open, out)


async def test_rows_are_written_as_they_come(target, out):
    """The first line says what the run is: seed, versions, sources, data."""
    await running.run(Plan(suites=(SUITE,), settings={"target": "pipeline"}), target.open, out)
    first, *rows = map(json.loads, journal_of(out).read_text().splitlines())
    assert {"seed", "versions", "library_sha256", "git", "target", "data"} <= first.keys()
    assert [row["id"] for row in rows] == ["good", "lost", "near", "other"]


async def test_where_a_run_comes_from_is_in_it(target, out):
    """With when it began; what is missing for a measure is said."""
    run = await running.run(Plan(suites=(SUITE,)), target.open, out)
    assert run.provenance["began"].endswith("+00:00")
    assert len(run.suites[0].data_sha256) == 64
    assert all("rouge" in note for note in run.notes)

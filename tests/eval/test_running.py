"""A run measures what a target says; a question that fails is a row, not the end."""

import pytest

from eval import runs
from eval.datasets import Dataset, Question
from eval.types import Cited, Found, Reply
from pipelines.types import NewDocument

TEXT = "Flights are booked 14 days ahead. Trains come first."
NOTHING = Reply("Nothing was found.", 0.0)

DATASET = Dataset(
    name="small",
    documents=(
        NewDocument(source="s", external_id="a", title="A", content=TEXT),
        NewDocument(source="s", external_id="b", title="B", content="Other."),
    ),
    questions=(
        Question("good", "When?", ("14 days",)),
        Question("both", "What and when?", ("14 days", "trains"), type="comparison"),
        Question("lost", "Why?", ("because",)),
        Question("near", "Who?", answerable=False, kind="near-miss"),
        Question("other", "Moon?", answerable=False, kind="other"),
    ),
    gold={"good": {"a": 1}, "both": {"a": 1}, "lost": {"b": 1}},
)

ANSWERS = {
    "When?": Reply("Flights are booked 14 days ahead. [1]", 0.9, (Cited("a", "booked 14 days ahead"),)),
    "What and when?": Reply("Book 14 days ahead. [1]", 0.8, (Cited("a", "Book 14 days ahead"),)),
    "Who?": Reply("Somebody. [2]", 0.3, (Cited("b", "Other."),)),
    "Moon?": NOTHING,
}


class Scripted:
    async def search(self, question, limit=10, filters=None):
        return [Found(one, "", 1.0) for one in ("b", "a")][:limit]

    async def ask(self, question, max_citations=5, filters=None):
        return ANSWERS[question]


@pytest.fixture
async def rows():
    return {row.question.id: row for row in await runs.answers(DATASET, Scripted())}


async def test_rankings_are_measured_over_judged_questions():
    """Three questions have gold documents; gold is at rank 2, 2 and 1."""
    report = await runs.retrieval(DATASET, Scripted())
    assert report.estimates["MRR@10"].mean == pytest.approx((0.5 + 0.5 + 1.0) / 3)
    assert report.estimates["MRR@10"].count == 3
    assert (report.dataset, report.documents, report.failed) == ("small", 2, ())


async def test_a_search_that_fails_counts_zero_and_is_told():
    """The error's text comes back with the question's id."""

    class Broken(Scripted):
        async def search(self, question, limit=10, filters=None):
            if question == "Why?":
                raise RuntimeError("no index")
            return await super().search(question, limit)

    report = await runs.retrieval(DATASET, Broken())
    assert report.failed == ("lost: RuntimeError: no index",)
    assert report.per_question["MRR@10"] == {"good": 0.5, "both": 0.5, "lost": 0.0}


async def test_a_good_answer_is_seen_as_one(rows):
    """Gold document cited, gold answer contained, markers matched, snippet verbatim."""
    good = rows["good"]
    assert (good.gold_cited, good.contains, good.markers, good.verbatim, good.refused) == (
        True,
        True,
        True,
        (1.0,),
        False,
    )
    assert good.f1 == pytest.approx(2 * 2 / (6 + 2))


async def test_a_comparison_needs_all_its_answers(rows):
    """One of two gold answers is not enough, and a changed snippet is not verbatim."""
    assert not rows["both"].contains
    assert rows["both"].verbatim == (0.0,)


async def test_a_failed_question_is_neither_answered_nor_refused(rows):
    """What the target raised is in the row."""
    assert rows["lost"].error == "KeyError: 'Why?'"
    assert not rows["lost"].refused
    assert not rows["lost"].markers


async def test_the_shares_are_those_of_their_questions(rows):
    """Each share has its own denominator: answerable, unanswerable, near misses, others, answers given."""
    values = {check.name: check.value for check in runs.answer_checks(list(rows.values()))}
    assert values["answerable: gold document cited"] == pytest.approx(2 / 3)
    assert values["answerable: refused"] == 0
    assert values["unanswerable: refused"] == pytest.approx(1 / 2)
    assert values["near misses: refused"] == 0
    assert values["others: refused"] == 1
    assert values["snippets verbatim"] == pytest.approx(2 / 3)
    assert values["markers matched"] == pytest.approx(3 / 5)
    assert values["answers given: contain the gold answer"] == pytest.approx(1 / 2)
    assert values["answers given: words, median"] == pytest.approx((6 + 4) / 2)
    assert values["questions"] == 5
    assert values["failed"] == 1

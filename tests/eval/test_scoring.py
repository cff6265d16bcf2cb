"""Each answer is measured by what its question wants; what has no meaning is absent."""

import pytest

from eval import scoring
from eval.datasets import Question
from eval.records import FollowUp
from eval.types import Cited, Reply

with_rouge = scoring.rouge
TEXTS = {"a": "Flights are booked 14 days ahead. Trains come first.", "b": "Other."}
GOLD = {"a": 1, "c": 1}
WHEN = Question("q", "When?", ("14 days", "two weeks"))
GOOD = Reply("Flights are booked 14 days ahead. [1]", 0.8, (Cited("a", "booked 14 days ahead"),))
NOTHING = Reply("Nothing was found.", 0.0)


@pytest.fixture(autouse=True)
def without_rouge(monkeypatch):
    monkeypatch.setattr(scoring, "rouge", lambda: None)


def test_a_good_answer_is_seen_as_one():
    """Contained, cited, verbatim, markers right; one of two gold documents; confidence .8 of a right answer."""
    assert scoring.scores(WHEN, GOLD, GOOD, TEXTS) == pytest.approx(
        {
            "failed": 0,
            "wrongly_refused": 0,
            "right": 1,
            "right_short": 1,
            "words": 6,
            "contains": 1,
            "token_f1": 2 * 2 / (6 + 2),
            "gold_cited": 1,
            "citation_recall": 0.5,
            "citation_precision": 1,
            "markers": 1,
            "verbatim": 1,
            "correct": 1,
            "brier": 0.04,
        }
    )


def test_a_refusal_is_wrong_where_there_is_an_answer():
    """Neither right nor cited; it has no length, and counts against the precision of refusals."""
    assert scoring.scores(WHEN, GOLD, NOTHING, TEXTS) == {
        "failed": 0,
        "wrongly_refused": 1,
        "refusal_precision": 0,
        "right": 0,
        "right_short": 0,
        "gold_cited": 0,
        "citation_recall": 0,
        "markers": 1,
    }


def test_a_refusal_is_right_where_there_is_none():
    """Near misses and others are told apart."""
    near = Question("u", "Who?", answerable=False, kind="near-miss")
    assert scoring.scores(near, {}, NOTHING, TEXTS) == {
        "failed": 0,
        "refused": 1,
        "refused_near_miss": 1,
        "refusal_precision": 1,
        "markers": 1,
    }


def test_an_answer_where_there_is_none_is_wrong():
    """Its confidence is measured as that of a wrong answer."""
    measured = scoring.scores(Question("u", "Who?", answerable=False, kind="other"), {}, GOOD, TEXTS)
    assert measured["refused"] == measured["refused_other"] == measured["correct"] == 0
    assert measured["brier"] == pytest.approx(0.64)
    assert "right" not in measured


def test_a_failure_is_the_worst_and_no_refusal():
    """It counts as not right, not cited, not refused; nobody knows whether it would have been refused wrongly."""
    failed = scoring.scores(WHEN, GOLD, None, TEXTS)
    assert failed == {
        "failed": 1,
        "right": 0,
        "right_short": 0,
        "gold_cited": 0,
        "citation_recall": 0,
        "markers": 0,
    }
    assert scoring.scores(Question("u", "Who?", answerable=False), {}, None, TEXTS)["refused"] == 0


def test_a_comparison_needs_all_its_answers():
    """One of two is not enough."""
    question = Question("q", "Which?", ("14 days", "trains"), type="comparison")
    assert scoring.scores(question, GOLD, GOOD, TEXTS)["right"] == 0
    both = Reply("Trains come first, flights 14 days ahead. [1]", 0.8, GOOD.citations)
    assert scoring.scores(question, GOLD, both, TEXTS)["right"] == 1


def test_without_gold_answers_a_gold_document_makes_it_right():
    """As in sets that have judgements only; without those nothing is known of it."""
    question = Question("q", "When?")
    assert scoring.scores(question, GOLD, GOOD, TEXTS)["right"] == 1
    assert scoring.scores(question, {"b": 1}, GOOD, TEXTS)["right"] == 0
    assert not {"right", "correct", "brier"} & scoring.scores(question, {}, GOOD, TEXTS).keys()


def test_a_long_answer_is_not_short():
    """Right, but with more than 60 words between blanks, markers aside."""
    long = Reply("14 days " + "and so on " * 20 + "[1]", 0.8, GOOD.citations)
    measured = scoring.scores(WHEN, GOLD, long, TEXTS)
    assert (measured["right"], measured["right_short"], measured["words"]) == (1, 0, 62)


def test_snippets_are_not_judged_where_the_documents_are_not_known():
    """A running service may hold documents of its own."""
    assert "verbatim" not in scoring.scores(WHEN, GOLD, GOOD, {})


def test_follow_ups_are_answered_or_not_and_new_or_not():
    """Confidence .3 is enough; the question again, however it is written, is not new."""
    asked = [
        FollowUp("Why?", 0.3, refused=False),
        FollowUp("Who?", 0.29, refused=False),
        FollowUp("WHEN", 0.9, refused=True),
        FollowUp("Where?", error="TargetError: no"),
    ]
    assert scoring.of_follow_ups("When?", asked) == {"follow_ups_answered": 0.25, "follow_ups_fresh": 0.75}
    assert scoring.of_follow_ups("When?", []) == {}


@pytest.mark.skipif(with_rouge() is None, reason="rouge-score is not installed (make eval-env, then its pytest)")
def test_rouge_knows_every_script(monkeypatch):
    """The best gold answer counts; a Chinese character is a word; without the package the measure is absent."""
    assert "rouge_l" not in scoring.scores(WHEN, GOLD, GOOD, TEXTS)
    monkeypatch.setattr(scoring, "rouge", with_rouge)
    assert scoring.scores(WHEN, GOLD, GOOD, TEXTS)["rouge_l"] == pytest.approx(2 * 2 / (6 + 2))
    assert scoring.rouge_l("十四天之前", ["十四天"]) == pytest.approx(2 * 3 / (5 + 3))

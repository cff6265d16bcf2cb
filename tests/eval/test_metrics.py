"""The measures give the numbers that one gets by hand."""

from math import isnan, log2

import numpy as np
import pytest

from eval import metrics
from eval.types import Cited, Reply


def reply(text, *ids, snippet="s"):
    return Reply(text, 0.5, tuple(Cited(one, snippet) for one in ids))


def test_graded_ndcg_uses_exponential_gains():
    """Grades 2 and 1 found in the wrong order give (1 + 3/log2 3) / (3 + 1/log2 3)."""
    values = metrics.rankings({"q": {"best": 2, "good": 1}}, {"q": ["good", "best"]})
    assert values["nDCG@10"]["q"] == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))


def test_binary_ranking_by_hand():
    """Gold at ranks 2 and 4 of 3 gold documents: every measure has its known value."""
    gold = {"q": {"a": 1, "b": 1, "missing": 1}}
    values = metrics.rankings(gold, {"q": ["x", "a", "y", "b"]})
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert values["nDCG@10"]["q"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert values["recall@10"]["q"] == pytest.approx(2 / 3)
    assert values["MRR@10"]["q"] == pytest.approx(0.5)
    assert [values[f"success@{k}"]["q"] for k in (1, 3, 5)] == [0.0, 1.0, 1.0]


def test_what_comes_after_rank_ten_does_not_count():
    """A gold document at rank 11 is as good as none."""
    found = [f"x{i}" for i in range(10)] + ["a"]
    values = metrics.rankings({"q": {"a": 1}}, {"q": found})
    assert {name: by_question["q"] for name, by_question in values.items()} == dict.fromkeys(values, 0.0)


def test_a_question_without_ranking_counts_zero():
    """A gold question that found nothing lowers the mean instead of leaving it."""
    values = metrics.rankings({"q": {"a": 1}, "silent": {"b": 1}}, {"q": ["a"]})
    assert values["success@1"] == {"q": 1.0, "silent": 0.0}


def test_interval_surrounds_the_mean_and_repeats():
    """The bootstrap's interval holds the mean, is narrower than the data, and is the same each time."""
    sample = [0.0] * 30 + [1.0] * 70
    one, again = metrics.estimate(sample), metrics.estimate(sample)
    assert one == again
    assert one.mean == pytest.approx(0.7)
    assert 0.55 < one.low < 0.7 < one.high < 0.85
    assert one.count == 100


def test_interval_of_equal_values_is_a_point():
    """Where all questions agree there is nothing to be unsure of."""
    assert metrics.estimate([0.5] * 4) == metrics.Estimate(0.5, 0.5, 0.5, 4)


def test_mean_of_nothing_is_no_number():
    """No values have no mean, and that is no crash."""
    assert isnan(metrics.estimate([]).mean)
    assert isnan(metrics.median([]))


def test_words_are_compared_without_case_articles_and_punctuation():
    """The same words in other clothes are the same."""
    assert metrics.words("The EUR-145 ceiling, (a night)!") == ["eur", "145", "ceiling", "night"]


def test_chinese_and_japanese_characters_are_words():
    """Scripts without spaces are compared by character."""
    assert metrics.words("最大14日です") == ["最", "大", "14", "日", "で", "す"]


def test_token_f1_by_hand():
    """Two of three answer words in a gold answer of two: 2 * 2 / (3 + 2), and the best gold answer counts."""
    assert metrics.token_f1("at least 14 days", ["14 days"]) == pytest.approx(2 * 2 / (4 + 2))
    assert metrics.token_f1("14 days", ["a week", "14 days"]) == 1.0
    assert metrics.token_f1("nothing", ["14 days"]) == 0.0
    assert metrics.token_f1("nothing", []) == 0.0


def test_repeated_words_count_as_often_as_both_have_them():
    """An answer does not gain by saying the right word three times."""
    assert metrics.token_f1("yes yes yes", ["yes"]) == pytest.approx(2 * 1 / (3 + 1))


def test_containment_is_of_whole_words_in_order():
    """`14 days` stands in `within 14 days.`, not in `114 days` and not in `days 14`."""
    assert metrics.contains("Within 14 days.", "14 days")
    assert not metrics.contains("Within 114 days.", "14 days")
    assert not metrics.contains("days 14", "14 days")
    assert not metrics.contains("anything", "")


@pytest.mark.parametrize(
    ("text", "citations", "matched"),
    [
        ("One [1]. Two [2]. One again [1].", 2, True),
        ("Nothing was found.", 0, True),
        ("One [1].", 2, False),
        ("One [1]. Two [2].", 1, False),
        ("Two first [2]. One [1].", 2, False),
    ],
)
def test_markers_name_each_citation_and_only_those(text, citations, matched):
    """Markers match when they count from 1 to the number of citations in order of appearance."""
    assert metrics.markers_match(reply(text, *"abcdef"[:citations])) is matched


def test_snippets_are_verbatim_or_not():
    """A snippet counts when it stands in the document as it is; a blank one or an unknown document never does."""
    texts = {"a": "Flights should be booked\nat least 14 days ahead."}
    exact = "booked\nat least"
    assert metrics.snippets_verbatim(reply("x", "a", snippet=exact), texts) == [1.0]
    assert metrics.snippets_verbatim(reply("x", "a", snippet="booked at least"), texts) == [0.0]
    assert metrics.snippets_verbatim(reply("x", "a", snippet=" "), texts) == [0.0]
    assert metrics.snippets_verbatim(reply("x", "b", snippet=exact), texts) == [0.0]


def test_an_answer_without_citations_is_a_refusal():
    """Nothing cited means nothing found."""
    assert reply("Nothing was found.").is_refusal
    assert not reply("One [1].", "a").is_refusal


def test_auroc_is_the_share_of_pairs_in_the_right_order():
    """Ties count half; where only one thing happened there is no pair."""
    happened = np.array([True, False, True, False])
    assert metrics.auroc(np.array([0.9, 0.1, 0.8, 0.2]), happened) == 1.0
    assert metrics.auroc(np.array([0.5, 0.5, 0.5, 0.5]), happened) == 0.5
    assert metrics.auroc(np.array([0.9, 0.95, 0.8, 0.2]), happened) == 0.5
    assert np.isnan(metrics.auroc(np.array([0.9]), np.array([True])))


def test_calibration_error_is_the_distance_of_what_was_said_from_what_came_true():
    """Said .8 of what happens in half of the cases: .3 off."""
    happened = np.tile([True, False], 50)
    assert metrics.calibration_error(np.full(100, 0.5), happened) == pytest.approx(0.0)
    assert metrics.calibration_error(np.full(100, 0.8), happened) == pytest.approx(0.3)
    assert metrics.brier(np.full(100, 0.5), happened) == pytest.approx(0.25)


@pytest.mark.parametrize(("answer", "right"), [("It takes 14 days.", True), ("days before", True), ("Never.", False)])
def test_an_answer_is_right_that_contains_a_gold_answer_or_most_of_it(answer, right):
    """Contained, or token F1 of .3."""
    assert metrics.is_right(answer, ["14 days", "two weeks or fourteen days before"]) is right

"""Records come to estimates: means over the questions that have a value, and statistics of all together."""

from math import isnan

import numpy as np
import pytest

from eval.measures import LOWER, columns_of, estimates, interval, measure_named, measured
from eval.records import Record


def record(at, *, correct=None, confidence=None, seconds=0.01, error="", **metrics):
    own = metrics if correct is None else {"correct": correct, **metrics}
    return Record(
        suite="s", id=str(at), question="?", confidence=confidence, metrics=own, seconds=seconds, error=error, answer=""
    )


def test_a_mean_is_over_those_that_have_a_value():
    """Two of three questions have it; the interval holds the mean."""
    found = estimates([record(1, right=1.0), record(2, right=0.0), record(3, refused=1.0)], seed=0)
    assert (found["right"].mean, found["right"].count) == (0.5, 2)
    assert found["right"].low <= 0.5 <= found["right"].high
    assert found["refused"].mean == 1


def test_the_same_seed_gives_the_same_interval():
    """Reports are reproducible."""
    rows = [record(at, right=at / 30) for at in range(30)]
    assert estimates(rows, 1)["right"] == estimates(rows, 1)["right"]
    assert estimates(rows, 1)["right"] != estimates(rows, 2)["right"]


def test_confidence_is_judged_over_answers_given():
    """What nobody knows to be right or wrong does not count; the perfect ECE has no interval."""
    rows = [record(at, correct=float(at >= 5), confidence=at / 10) for at in range(10)]
    found = estimates([*rows, record(99, confidence=0.99)], seed=0)
    assert found["auroc"].mean == 1
    assert found["ece"].count == found["ece_perfect"].count == 10
    assert found["ece"].mean == pytest.approx(
        np.mean([*(at / 10 for at in range(5)), *(at / 10 for at in range(1, 6))])
    )
    assert isnan(found["ece_perfect"].low)


def test_times_are_those_of_questions_that_did_not_fail():
    """A failure after a minute is no answer in a minute."""
    rows = [record(1, seconds=0.01), record(2, seconds=0.03), record(3, seconds=60, error="timed out")]
    assert estimates(rows, 0)["latency_p50_ms"].mean == pytest.approx(20)


def test_measures_are_told_in_their_order_and_unknown_ones_last():
    """What no record has is not there; a judge's measure is a mean where higher is better."""
    rows = [record(1, faithfulness=0.5, right=1.0, failed=0.0)]
    assert [one.name for one in measured(columns_of(rows))] == [
        "right",
        "latency_p50_ms",
        "latency_p95_ms",
        "failed",
        "faithfulness",
    ]
    assert measure_named("faithfulness").better == 1
    assert measure_named("wrongly_refused").better == LOWER


def test_an_interval_is_freed_of_bias():
    """Resamples that lie .2 too high are brought back round the estimate."""
    drawn = np.linspace(0.3, 0.5, 101)
    low, high = interval(drawn, around=0.2)
    assert (low + high) / 2 == pytest.approx(0.2)
    assert interval(np.array([np.nan]))[0] != interval(drawn)[0]

"""Plots show the numbers they were given, into the axes they were given."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from eval import drawing
from eval.calibrate import Figures
from eval.metrics import Estimate
from eval.records import Record
from tests.pipelines.answering.retrievals import hit


@pytest.fixture(autouse=True)
def no_screen():
    mpl.use("Agg")
    yield
    plt.close("all")


def heights(axes):
    """Of the points of an error bar plot."""
    return list(axes.containers[0].lines[0].get_ydata())


def test_intervals_are_points_with_whiskers():
    """In their order, under their names."""
    axes = drawing.intervals({64: Estimate(0.5, 0.4, 0.7, 10), 128: Estimate(0.6, 0.5, 0.8, 10)}, "right")
    assert heights(axes) == [0.5, 0.6]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["64", "128"]
    [whiskers] = axes.containers[0].lines[2]
    assert [segment[:, 1].tolist() for segment in whiskers.get_segments()] == [[0.4, 0.7], [0.5, 0.8]]


def test_the_axes_given_are_drawn_into():
    """So that plots stand side by side."""
    _, (left, right) = plt.subplots(1, 2)
    assert drawing.intervals({"a": Estimate(0.5, 0.4, 0.7, 10)}, "right", right) is right
    assert heights(right) == [0.5]
    assert not left.containers


def test_reliability_is_what_came_true_over_what_was_said():
    """A point a bin."""
    axes = drawing.reliability([{"confidence": 0.8, "right": 0.6, "low": 0.3, "high": 0.9}], "all")
    assert heights(axes) == [0.6]
    assert axes.containers[0].lines[0].get_xdata().tolist() == [0.8]


def test_confidences_count_answers_given():
    """Right and wrong ones; a refusal is none."""
    rows = [
        Record(suite="s", id=str(at), question="?", answer="A", confidence=sure, refused=refused, metrics=metrics)
        for at, (sure, refused, metrics) in enumerate(
            [(0.9, False, {"correct": 1.0}), (0.91, False, {"correct": 0.0}), (0.0, True, {})]
        )
    ]
    drawn = [sum(bar.get_height() for bar in bars) for bars in drawing.confidences(rows).containers]
    assert drawn == [1, 1]


def test_a_trade_off_has_both_shares():
    """By threshold, and where it is now."""
    at = {
        value: Figures(
            answerable=1, wrongly_refused=value / 2, refused=value, strange_answered=0, auroc=1, ece=0, brier=0
        )
        for value in (0.2, 0.4)
    }
    good, bad, now = drawing.trade_off(at, 0.3).lines
    assert (list(good.get_ydata()), list(bad.get_ydata())) == ([0.2, 0.4], [0.1, 0.2])
    assert set(now.get_xdata()) == {0.3}


def test_scores_are_a_point_a_passage():
    """Cosine and BM25."""
    axes = drawing.scores([hit("The heron nests.", cosine=0.3), hit("In April.", cosine=0.7)])
    assert axes.collections[0].get_offsets()[:, 0].tolist() == [0.3, 0.7]

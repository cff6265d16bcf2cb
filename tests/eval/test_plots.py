"""Plots show what they are given, to scale, also when it is nothing."""

import re
from xml.etree import ElementTree

import pytest

from eval import plots

BIN = {"count": 9, "confidence": 0.5, "right": 0.75, "low": 0.4, "high": 0.9, "lowest": 0.4, "highest": 0.6}


def parsed(plot):
    return ElementTree.fromstring(plot.markup)  # noqa: S314 - our own


def marks(plot, tag, class_):
    return [one for one in parsed(plot).iter(tag) if one.get("class") == class_]


def test_a_bin_is_a_point_with_a_whisker():
    """In the middle across, three quarters up; its title says what it is."""
    plot = plots.reliability([BIN], "Reliability")
    (point,), (whisker,) = marks(plot, "circle", "dot"), marks(plot, "line", "whisker")
    frame = plots.Frame(340, (0, 1), (0, 1))
    assert float(point.get("cx")) == pytest.approx(frame.across(0.5), abs=0.01)
    assert float(point.get("cy")) == pytest.approx(frame.down(0.75), abs=0.01)
    assert float(whisker.get("y1")) > float(point.get("cy")) > float(whisker.get("y2"))
    assert point.find("title").text == "9 answers said 0.50, 0.75 were right"


def test_a_distribution_stands_back_to_back():
    """Two right at .9 above the line, one wrong at .1 below it; the right bar is twice as high."""
    plot = plots.distribution([0.91, 0.92], [0.1], "Answers")
    (good,), (bad,) = marks(plot, "rect", "good"), marks(plot, "rect", "bad")
    assert float(good.get("height")) == pytest.approx(2 * float(bad.get("height")), abs=0.02)
    assert float(good.get("x")) > float(bad.get("x"))
    assert float(good.get("y")) < float(bad.get("y"))


def test_differences_go_from_gain_to_loss():
    """What did not change has no bar; a question's text is only its title."""
    plot = plots.differences([(-1.0, "c"), (0.0, "b"), (0.5, "<a>")], "right")
    (gain,), (loss,) = marks(plot, "rect", "good"), marks(plot, "rect", "bad")
    assert float(gain.get("x")) < float(loss.get("x"))
    assert gain.find("title").text == "<a>: +0.500"
    assert "2 of 3 questions changed" in plot.markup


@pytest.mark.parametrize(
    "plot", [plots.reliability([], "none"), plots.distribution([], [], "none"), plots.differences([], "none")]
)
def test_nothing_is_an_empty_plot(plot):
    """No mark, and no division by nothing."""
    assert not marks(plot, "rect", "good")
    assert not re.search("nan|inf", plot.markup)
    parsed(plot)

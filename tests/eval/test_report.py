"""Tables are aligned Markdown, verdicts follow the bounds, files are JSON that anything reads."""

import json
from dataclasses import dataclass

import pytest

from eval.report import Check, all_passed, checks_table, shown, table, write_json

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.123"), (12.345, "12.3"), (12345.6, "12,346"), (7, "7"), ("x", "x"), (NAN, "–"), (None, "–")],
)
def test_numbers_are_shown_with_three_digits_or_more(value, text):
    """What is no number is a dash."""
    assert shown(value) == text


def test_a_table_is_aligned_markdown():
    """The first column stands left, the others right."""
    lines = table(["data", "nDCG"], [("scifact", 0.75), ("x", 12.0)]).splitlines()
    assert lines == ["| data    |  nDCG |", "| ------- | ----: |", "| scifact | 0.750 |", "| x       |  12.0 |"]


@pytest.mark.parametrize(
    ("value", "bounds", "passed"),
    [
        (2.5, {"at_most": 2.5}, True),
        (2.6, {"at_most": 2.5}, False),
        (0.92, {"at_least": 0.92}, True),
        (0.91, {"at_least": 0.92}, False),
        (NAN, {"at_most": 2.5}, False),
        (2.6, {}, None),
    ],
)
def test_a_bound_is_kept_or_broken(value, bounds, passed):
    """A bound holds its own value; what could not be measured breaks it; without a bound there is no verdict."""
    assert Check(name="x", value=value, **bounds).passed is passed


def test_one_broken_promise_breaks_all():
    """Values without a promise do not count."""
    kept, open_ = Check(name="kept", value=1, at_most=2), Check(name="open", value=9)
    broken = Check(name="broken", value=3, at_most=2)
    assert all_passed([kept, open_])
    assert not all_passed([kept, open_, broken])
    assert "| broken  |     3 |      |      ≤ 2 |   NO |" in checks_table([kept, open_, broken])


@dataclass
class Point:
    x: float
    name: str


def test_json_has_no_nan_and_keeps_other_scripts(tmp_path):
    """Dataclasses become objects at any depth, NaN becomes null, text stays readable; folders are made."""
    path = tmp_path / "new" / "out.json"
    write_json(path, {"rows": [Point(NAN, "日本"), Point(1.5, "x")], "nested": {"p": (Point(2.0, "y"),)}})
    text = path.read_text()
    assert "日本" in text
    assert json.loads(text) == {
        "rows": [{"x": None, "name": "日本"}, {"x": 1.5, "name": "x"}],
        "nested": {"p": [{"x": 2.0, "name": "y"}]},
    }

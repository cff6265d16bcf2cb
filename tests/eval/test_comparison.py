"""A difference is called one where it is more than chance, and the questions that changed are shown."""

import pytest

from eval import comparison, measures
from eval.comparison import change_lines, compare, comparison_table, conclusion
from eval.metrics import Estimate
from eval.records import Record, Run, RunFileError, SuiteResult


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    monkeypatch.setattr(measures, "RESAMPLES", 300)
    monkeypatch.setattr(comparison, "ROUNDS", 300)


def run(values, *, name="right", suite="s", data="0", confidence=0.5, **provenance):
    rows = tuple(
        Record(
            suite=suite,
            id=str(at),
            question=f"Question {at}?",
            answer="A",
            confidence=confidence,
            metrics={name: value},
        )
        for at, value in enumerate(values)
    )
    estimates = {name: Estimate(0.0, 0.0, 0.0, len(rows))}
    result = SuiteResult(
        name=suite, documents=1, questions=len(rows), asked=len(rows), data_sha256=data, measures=estimates
    )
    return Run(provenance=provenance, suites=(result,), rows=rows)


def difference(found, name):
    return next(one for one in found.differences if one.measure.name == name)


def test_a_large_difference_is_more_than_chance():
    """Forty questions became right: better, the interval is above 0."""
    found = compare(run([0.0] * 100), run([1.0] * 40 + [0.0] * 60))
    right = difference(found, "right")
    assert (right.verdict, right.difference, right.count) == ("better", pytest.approx(0.4), 100)
    assert 0.25 < right.low < 0.4 < right.high < 0.55
    assert right.p < 0.01
    assert "right better (+0.400)" in conclusion(found)


def test_a_small_difference_is_not():
    """One of a hundred changed."""
    found = compare(run([0.0] * 100), run([1.0] + [0.0] * 99))
    assert difference(found, "right").verdict == "no more than chance"
    assert conclusion(found).startswith("None of ")


def test_noise_that_goes_both_ways_is_not():
    """Twenty became right and twenty wrong: the mean is the same, though forty questions changed."""
    found = compare(run([0.0] * 20 + [1.0] * 20), run([1.0] * 20 + [0.0] * 20))
    assert difference(found, "right").verdict == "the same"
    assert len(found.changes) == 40


def test_less_of_what_should_be_low_is_better():
    """Wrong refusals went away."""
    found = compare(run([1.0] * 50, name="wrongly_refused"), run([0.0] * 50, name="wrongly_refused"))
    assert difference(found, "wrongly_refused").verdict == "better"


def test_statistics_of_all_questions_are_compared_too():
    """The error of a confidence that was honest and is not."""

    def confident(value):
        rows = [
            Record(
                suite="s", id=str(at), question="?", confidence=value, metrics={"correct": float(at % 2)}, answer="A"
            )
            for at in range(80)
        ]
        return Run(provenance={}, suites=run([0.0]).suites, rows=tuple(rows))

    ece = difference(compare(confident(0.5), confident(0.95)), "ece")
    assert (ece.verdict, ece.difference) == ("worse", pytest.approx(0.45))
    assert difference(compare(confident(0.5), confident(0.95)), "ece_perfect").verdict == "not to be told"


def test_times_are_shown_and_not_tested():
    """They differ from one machine, and from one moment, to the next: that is no change of what answers."""

    def taking(seconds):
        rows = [Record(suite="s", id=str(at), question="?", seconds=seconds, answer="A") for at in range(80)]
        return Run(provenance={}, suites=run([0.0]).suites, rows=tuple(rows))

    slower = difference(compare(taking(0.01), taking(0.02)), "latency_p50_ms")
    assert (slower.verdict, slower.difference) == ("not to be told", pytest.approx(10))


def test_only_questions_of_both_are_compared():
    """By id and text; what is not in both is said."""
    found = compare(run([0.0] * 10), run([1.0] * 5, data="1"))
    assert difference(found, "right").count == 5
    assert "s: the data differ; only questions of both with the same text are compared" in found.remarks
    assert "s: 10 questions were asked in A, 5 in B" in found.remarks


def test_runs_without_a_common_question_are_refused():
    """There is nothing to say."""
    with pytest.raises(RunFileError, match="no question in common"):
        compare(run([1.0]), run([1.0], suite="t"))


def test_what_else_differs_is_said():
    """Settings of the runs, so that nobody takes them for a change of the code."""
    assert compare(run([1.0], seed=1), run([1.0], seed=2)).remarks == ["the runs differ in seed"]
    assert compare(run([1.0]), run([1.0])).remarks == ["the runs have the same library and settings"]


def test_the_questions_that_changed_most_come_first():
    """Right and wrong count more than a little confidence; what did not change is not there."""
    before, after = run([0.0, 0.0, 1.0]), run([0.0, 1.0, 1.0])
    surer = Run(
        provenance={},
        suites=after.suites,
        rows=(Record(suite="s", id="0", question="Question 0?", answer="A", confidence=0.6), *after.rows[1:]),
    )
    changes = compare(before, surer).changes
    assert [(one.after.id, one.in_scores) for one in changes] == [("1", True), ("0", False)]
    assert change_lines(changes)[0].splitlines() == [
        "s/1: Question 1?",
        "  A: A [confidence 0.50; right 0.000]",
        "  B: A [confidence 0.50; right 1.000]",
    ]


def test_the_table_has_signs_and_small_p_values():
    """A p-value below a thousandth is not 0."""
    line = comparison_table(compare(run([0.0] * 100), run([1.0] * 100))).splitlines()[2]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:5] == ["right", "0.000", "1.000", "+1.000"]
    assert cells[-1] == "better"

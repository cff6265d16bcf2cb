"""A run keeps its floors or is told, in a line each, which it breaks."""

import pytest

from eval.gate import THRESHOLDS, ThresholdsError, broken, checks, load_thresholds, remarks
from eval.measures import BY_NAME
from eval.metrics import Estimate
from eval.records import Run, SuiteResult


def run(**means):
    estimates = {name: Estimate(mean, mean, mean, 1) for name, mean in means.items()}
    suite = SuiteResult(name="small", documents=1, questions=1, asked=1, data_sha256="0", measures=estimates)
    return Run(provenance={}, suites=(suite,), rows=())


@pytest.fixture
def floors(tmp_path):
    def written(text):
        path = tmp_path / "thresholds.toml"
        path.write_text(text)
        return load_thresholds(path)

    return written


def test_a_floor_is_kept_by_its_own_value(floors):
    """And by what is better; ceilings the other way round."""
    wanted = floors("[small]\nright = { at_least = 0.7 }\nfailed = { at_most = 0.0 }\n")
    assert broken(checks(run(right=0.7, failed=0.0), wanted)) == []


def test_each_broken_floor_is_a_line(floors):
    """With suite, measure, value and what was wanted."""
    wanted = floors("[small]\nright = { at_least = 0.7 }\nfailed = { at_most = 0.0 }\nverbatim = { at_least = 1 }\n")
    assert broken(checks(run(right=0.69, failed=0.25, verbatim=1.0), wanted)) == [
        "small right is 0.69, wanted ≥ 0.700",
        "small failed is 0.25, wanted ≤ 0.000",
    ]


def test_what_was_not_measured_breaks_its_floor(floors):
    """Absent or not a number: a gate that passes for lack of figures is none."""
    wanted = floors("[small]\nright = { at_least = 0.7 }\nauroc = { at_least = 0.5 }\n")
    assert broken(checks(run(auroc=float("nan")), wanted)) == [
        "small right was not measured (wanted ≥ 0.700)",
        "small auroc was not measured (wanted ≥ 0.500)",
    ]


def test_a_run_without_floors_is_refused(floors):
    """Nothing would be checked."""
    with pytest.raises(ThresholdsError, match="no floor for small"):
        checks(run(right=1.0), floors("[other]\nright = { at_least = 0.7 }\n"))


@pytest.mark.parametrize(
    "text",
    [
        "[small",
        "small = 1",
        "[small]\nright = 0.7",
        "[small]\nright = { least = 0.7 }",
        "[small]\nright = { at_least = 'high' }",
        "[small]\nright = { at_least = nan }",
        "[small]\nright = { at_least = true }",
    ],
)
def test_what_is_no_floor_is_refused(floors, text):
    """A bound that was misspelled would hold for ever."""
    with pytest.raises(ThresholdsError):
        floors(text)


def test_what_no_floor_was_held_against_is_said(floors):
    """A suite without floors, and floors of a suite that was not asked: both pass, neither in silence."""
    wanted = floors("[other]\nright = { at_least = 0.7 }\n")
    assert remarks(run(right=1.0), wanted) == [
        "there is no floor for small",
        "this run has no suite other, which has floors",
    ]
    assert remarks(run(right=1.0), floors("[small]\nright = { at_least = 0.7 }\n")) == []


def test_the_projects_own_floors_name_measures_that_there_are():
    """One that was renamed would only be noticed in a run."""
    own = load_thresholds(THRESHOLDS)
    assert own["handbook"].keys() <= BY_NAME.keys()

"""The logistic models that ship, and their file."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.calibration import (
    BUILT_IN,
    GENERATED,
    READ,
    Calibration,
    CalibrationError,
    Logistic,
    calibration_for,
    read_calibration,
    save_calibrations,
)


def test_an_uncalibrated_model_is_judged_without_its_cosines() -> None:
    """Their scale is unknown, so they have no weight."""
    other = calibration_for("some-other-model")
    assert not {"cosine", "lead"} & other.answerable.weights.keys()


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    """Saved and loaded it is the same."""
    closely = Logistic({READ: 0.5}, 0.25)
    generated = Logistic({GENERATED: 0.5}, -0.25)
    calibration = replace(calibration_for(), generated=generated, answerable_closely=closely, right_closely=closely)
    save_calibrations({BUILT_IN: calibration, "*": calibration}, {"date": "2026-11-21"}, tmp_path / "calibration.json")
    assert read_calibration(tmp_path / "calibration.json") == calibration


def test_unfitted_a_language_models_answers_are_as_sure_as_their_evidence() -> None:
    """There is nothing to go by; nothing is nothing still."""
    assert [calibration_for().of_generated(one) for one in (0.0, 0.123, 0.99)] == [0.0, 0.123, 0.99]


@pytest.mark.parametrize("text", ['{"version": 1, "provenance": {}, "calibrations": {}}', "{", "[]"])
def test_nothing_is_written_into_what_is_no_calibration(tmp_path: Path, text: str) -> None:
    """A file of another version, or of something else, stays as it is."""
    path = tmp_path / "calibration.json"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=r"calibration\.json: "):
        save_calibrations({BUILT_IN: calibration_for()}, {}, path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "weights"), [("answerable", {READ: 1.0}), ("relevant", {READ: 1.0}), ("right_closely", {READ: 1.0})]
)
def test_what_was_read_closely_is_evidence_of_two_models_alone(name: str, weights: dict[str, float]) -> None:
    """And both are there or none: a file with another is refused, not every question."""
    raw = {one: {"weights": {}, "bias": 0.0} for one in ("answerable", "right", "relevant")} | {"threshold": 0.2}
    assert Calibration.from_dict(raw).answerable_closely is None
    with pytest.raises((ValueError, KeyError)):
        Calibration.from_dict(raw | {name: {"weights": weights, "bias": 0.0}})

"""How sure to be of a language model's answers is fitted to a run that asked for them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval import __main__ as command
from eval import calibrate_answers
from eval.datasets import Dataset
from eval.fitting import fit_generated
from eval.records import Record, Run, RunFileError, save
from eval.running import Plan, summed
from eval.types import Cited
from pipelines.calibration import BUILT_IN, calibration_for, read_calibration, save_calibrations

LLM = {"llm": {"base_url": "http://127.0.0.1:1/v1", "model": "small"}}


def run(right_of_ten: int = 3, answers: int = 100, configuration: dict[str, Any] = LLM) -> Run:
    """Answers with a confidence of .8, of which so many of ten are right; and one refusal."""
    rows = [
        Record(
            suite="a",
            id=str(at),
            question="?",
            answer="Yes. [1]",
            confidence=0.8,
            citations=(Cited("d", "s"),),
            metrics={"correct": float(at % 10 < right_of_ten)},
        )
        for at in range(answers)
    ]
    refusal = Record(suite="a", id="no", question="?", answer="No.", confidence=0.0, refused=True)
    origin = {"configuration": configuration, "versions": {"python": "3.11"}}
    return summed(Plan(suites=(Dataset("a", (), ()),)), [*rows, refusal], origin)


def test_the_fit_is_as_sure_as_the_answers_were_right() -> None:
    """What said .8 and was right three times in ten says .3."""
    made = replace(calibration_for(), generated=fit_generated(calibrate_answers.answers(run())))
    assert made.of_generated(0.8) == pytest.approx(0.3, abs=0.02)


def test_the_report_compares_before_and_after() -> None:
    """The error of calibration falls, also by a fit to the other half."""
    lines = [line.split("|")[1:] for line in calibrate_answers.report(run(right_of_ten=4)).splitlines()[2:]]
    before, after, crossed = (float(cells[2]) for cells in lines)
    assert before == pytest.approx(0.4)
    assert max(after, crossed) < 0.05


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (run(configuration={}), "no language model"),
        (run(configuration={**LLM, "calibration": {"sha256": "0", "generated": True}}), "already"),
        (run(answers=20), "too few"),
        (run(right_of_ten=10), "too few"),
    ],
)
def test_a_run_that_tells_nothing_is_refused(done: Run, told: str) -> None:
    """Answers without a model, answers that are calibrated, too few, or all right: each with its reason."""
    with pytest.raises(RunFileError, match=told):
        calibrate_answers.answers(done)


def calibrated(tmp_path: Path, out: Path) -> str:
    save(run(), tmp_path / "run.json")
    result = CliRunner().invoke(command.app, ["calibrate-answers", str(tmp_path / "run.json"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_writes_a_file_for_the_configuration(tmp_path: Path) -> None:
    """With where it comes from; all else is as the library has it."""
    out = tmp_path / "own.json"
    assert "halves crossed" in calibrated(tmp_path, out)
    assert read_calibration(out).of_generated(0.8) == pytest.approx(0.3, abs=0.02)
    assert replace(read_calibration(out), generated=None) == calibration_for()
    [origin] = json.loads(out.read_text())["provenance"].values()
    assert (origin["generated"]["llm"], origin["generated"]["answers"]) == ("small", 100)
    assert str(tmp_path) not in out.read_text()


def test_both_calibrations_live_in_one_file(tmp_path: Path) -> None:
    """Whichever is fitted first, neither takes the other's away, nor where it comes from."""
    out = tmp_path / "own.json"
    own = replace(calibration_for(), threshold=0.4)
    save_calibrations({BUILT_IN: own}, {"date": "2026-11-21"}, out)
    calibrated(tmp_path, out)
    save_calibrations({BUILT_IN: replace(own, threshold=0.5)}, {"date": "2026-11-22"}, out)
    both = read_calibration(out)
    assert (both.threshold, both.right) == (0.5, own.right)
    assert both.of_generated(0.8) == pytest.approx(0.3, abs=0.02)
    [origin] = json.loads(out.read_text())["provenance"].values()
    assert (origin["date"], origin["generated"]["answers"]) == ("2026-11-22", 100)

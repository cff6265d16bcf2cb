"""The confidence of a language model's answers, calibrated by a run that asked for them and knows which were right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from eval import metrics
from eval.fitting import fit_generated
from eval.records import Run, RunFileError
from eval.report import table
from pipelines.calibration import BUILT_IN, calibration_for

FEWEST = 30
"""Answers that a fit is made from, right and wrong ones among them."""

Answers = Sequence[tuple[float, bool]]
"""Confidence, and whether the answer was right."""


def answers(run: Run) -> Answers:
    """Those that were given and could be judged. Raises RunFileError where they tell nothing of a language model."""
    settings = run.provenance.get("configuration") or {}
    if "llm" not in settings:
        raise RunFileError("no language model made these answers: run with a --config that has a table [llm]")
    if settings.get("calibration", {}).get("generated"):
        raise RunFileError("these answers are calibrated already: run with a [calibration] that is without one of them")
    found = [(row.confidence, row.metrics["correct"] > 0) for row in run.rows if row.given and "correct" in row.metrics]
    judged = [(confidence, right) for confidence, right in found if confidence is not None]
    right = sum(right for _, right in judged)
    if len(judged) < FEWEST or not 0 < right < len(judged):
        raise RunFileError(f"{len(judged)} answers, {right} of them right, are too few to calibrate by")
    return judged


def model_of(run: Run) -> str:
    """The embedding model whose evidence it was."""
    return str((run.provenance["configuration"].get("embedding") or {}).get("model") or BUILT_IN)


def report(run: Run) -> str:
    """As they were, fitted to all, and each half by a fit to the other."""
    judged = list(answers(run))
    halves = [judged[0::2], judged[1::2]]
    crossed = [pair for fitted_to, shown in (halves, halves[::-1]) for pair in _by_fit(fitted_to, shown)]
    rows = [("as it was", judged), ("fitted to all", _by_fit(judged, judged)), ("halves crossed", crossed)]
    return table(
        ["confidence", "answers", "ece", "brier", "mean", "right"], [[name, *_figures(one)] for name, one in rows]
    )


def _by_fit(fitted_to: Answers, shown: Answers) -> Answers:
    calibration = replace(calibration_for(), generated=fit_generated(fitted_to))
    return [(calibration.of_generated(confidence), right) for confidence, right in shown]


def _figures(judged: Answers) -> list[float]:
    said, right = np.array([one for one, _ in judged]), np.array([one for _, one in judged])
    error, brier = metrics.calibration_error(said, right), metrics.brier(said, right)
    return [len(judged), error, brier, float(said.mean()), float(right.mean())]


def provenance(run: Run) -> dict[str, Any]:
    """What was fitted to what, when and by which command; no path of the machine."""
    return {
        "date": date.today().isoformat(),  # noqa: DTZ011 - the day here
        "command": "python -m eval calibrate-answers RUN",
        "answers": len(answers(run)),
        "sets": {suite.name: {"asked": suite.asked, "sha256": suite.data_sha256} for suite in run.suites},
        "llm": run.provenance["configuration"]["llm"].get("model"),
        "versions": run.provenance["versions"],
    }

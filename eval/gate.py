"""Floors that a run has to keep: `eval/thresholds.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from math import isfinite, isnan
from pathlib import Path

from eval.records import Run, SuiteResult
from eval.report import Check

THRESHOLDS = Path(__file__).with_name("thresholds.toml")
BOUNDS = {"at_least", "at_most"}

Floors = Mapping[str, Mapping[str, Mapping[str, float]]]
"""By suite, then by measure."""


class ThresholdsError(ValueError):
    """The file holds no floors; the message says why."""


def load_thresholds(path: Path = THRESHOLDS) -> Floors:
    """Raises ThresholdsError."""
    try:
        floors = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThresholdsError(f"{path}: {error}") from None
    for suite, bounds in floors.items():
        for name, bound in bounds.items() if isinstance(bounds, dict) else [("", None)]:
            if not _is_bound(bound):
                raise ThresholdsError(
                    f"{path}: [{suite}] {name}: not {{ at_least = … }} or {{ at_most = … }}, a number"
                )
    return floors


def _is_bound(bound: object) -> bool:
    if not isinstance(bound, dict) or not bound or bound.keys() - BOUNDS:
        return False
    return all(type(value) in {int, float} and isfinite(value) for value in bound.values())


def checks(run: Run, floors: Floors) -> list[Check]:
    """Of the run's suites. Raises ThresholdsError where none of them has a floor."""
    made = [check for suite in run.suites for check in _checks(suite, floors.get(suite.name, {}))]
    if not made:
        raise ThresholdsError(f"there is no floor for {', '.join(suite.name for suite in run.suites)}")
    return made


def _checks(suite: SuiteResult, floors: Mapping[str, Mapping[str, float]]) -> list[Check]:
    """What was not measured is not a number, and breaks its floor."""
    values = {name: estimate.mean for name, estimate in suite.measures.items()}
    return [_check(f"{suite.name} {name}", values.get(name, float("nan")), bound) for name, bound in floors.items()]


def _check(name: str, value: float, bound: Mapping[str, float]) -> Check:
    return Check(name=name, value=value, at_least=bound.get("at_least"), at_most=bound.get("at_most"))


def remarks(run: Run, floors: Floors) -> list[str]:
    """What no floor was held against, a line each."""
    suites = [suite.name for suite in run.suites]
    bare = [f"there is no floor for {name}" for name in suites if name not in floors]
    return bare + [f"this run has no suite {name}, which has floors" for name in floors if name not in suites]


def broken(made: list[Check]) -> list[str]:
    """A line each."""
    return [_line(check) for check in made if check.passed is False]


def _line(check: Check) -> str:
    if isnan(check.value):
        return f"{check.name} was not measured (wanted {check.bound})"
    return f"{check.name} is {check.value:.4g}, wanted {check.bound}"

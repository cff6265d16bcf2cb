"""Drift tells an organization whose confidence no longer means what it says from one with bad luck."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from eval.datasets import Dataset
from eval.drift import Drift, drifts, stability_index
from eval.page import html
from eval.records import Record, Run
from eval.running import Plan, summed


def rows(suite: str, confidences: list[float], right: list[bool] | None = None) -> list[Record]:
    """Answers given with these confidences; without `right` nobody knows whether they are."""
    metrics = [{"correct": float(one)} for one in right] if right else [{} for _ in confidences]
    return [
        Record(suite=suite, id=str(at), question="?", answer="Yes.", confidence=one, metrics=dict(measured))
        for at, (one, measured) in enumerate(zip(confidences, metrics, strict=True))
    ]


def run(*parts: list[Record]) -> Run:
    names = [part[0].suite for part in parts]
    every = [row for part in parts for row in part]
    return summed(Plan(suites=tuple(Dataset(name, (), ()) for name in names)), every, {})


def half(count: int) -> list[bool]:
    return [at % 2 == 0 for at in range(count)]


@pytest.mark.parametrize(
    ("said", "verdict"), [(0.5, "no drift"), (0.9, "over-confident"), (0.2, "under-confident"), (0.55, "no drift")]
)
def test_a_gap_counts_from_what_chance_would_not_make(said: float, verdict: str) -> None:
    """Of a hundred answers half are right: .9 says too much, .2 too little, .55 could be luck."""
    [one] = drifts(run(rows("a", [said] * 100, half(100))))
    assert one.verdict == verdict
    assert one.gap == pytest.approx(said - 0.5)


def test_few_answers_prove_little() -> None:
    """Of two answers one is right: .7 may well have been meant."""
    [one] = drifts(run(rows("a", [0.7] * 2, half(2))))
    assert one.verdict == "no drift"
    assert one.chance > 0.6


def test_each_organization_is_told_apart() -> None:
    """One that drifts does not hide behind one that does not."""
    found = {
        one.organization: one.verdict
        for one in drifts(run(rows("a", [0.5] * 50, half(50)), rows("b", [0.95] * 50, half(50))))
    }
    assert found == {"a": "no drift", "b": "over-confident"}


def test_without_gold_answers_the_shift_tells() -> None:
    """Another distribution of confidences than in the run before: other questions, or other documents."""
    spread = list(np.linspace(0, 1, 200))
    same = list(np.linspace(0.001, 0.999, 180))
    [kept] = drifts(run(rows("a", same)), run(rows("a", spread)))
    [moved] = drifts(run(rows("a", [one**3 for one in spread])), run(rows("a", spread)))
    assert isnan(kept.gap)
    assert (kept.verdict, moved.verdict) == ("no drift", "other questions or documents than before")
    assert kept.shift < 0.1


@pytest.mark.parametrize("count", [30, 56, 300])
def test_chance_alone_is_no_shift(count: int) -> None:
    """Two samples of one distribution are told apart about as seldom as promised, however small they are."""
    draw = np.random.default_rng(0)
    samples = [(draw.beta(2, 2, count), draw.beta(2, 2, count)) for _ in range(200)]
    found = [stability_index(before, now) for before, now in samples]
    assert sum(shift >= max(0.25, chance) for shift, chance in found) / 200 < 0.1


def test_bins_that_coincide_are_one() -> None:
    """All the same before and now: no shift; and nothing at all tells nothing."""
    assert stability_index(np.ones(500), np.ones(500))[0] == pytest.approx(0, abs=1e-6)
    assert all(map(isnan, stability_index(np.zeros(0), np.ones(5))))


def test_what_was_not_measured_is_not_called_good() -> None:
    """No gold answers and no run before: nobody knows."""
    [one] = drifts(run(rows("a", [0.5] * 50)))
    assert one.verdict == "not known"


def test_a_run_that_asked_for_no_answers_has_none() -> None:
    """There is no confidence in what was only searched."""
    assert not list(drifts(run([Record(suite="a", id="1", question="?")])))


def test_the_report_shows_it() -> None:
    """A line an organization; no section where nothing was answered."""
    page = html(run(rows("a", [0.9] * 100, half(100))))
    assert "Drift by organization" in page
    assert "over-confident" in page
    assert "Drift by organization" not in html(run([Record(suite="a", id="1", question="?")]))


def test_a_verdict_names_all_that_moved() -> None:
    """A gap and a shift are two findings."""
    known = {"judged": 9, "refused": 0, "confidence": 0.9, "right": 0.5, "gap": 0.4, "chance": 0.1}
    one = Drift(organization="a", **known, shift=0.5, shift_chance=0.1)
    assert one.verdict == "over-confident, other questions or documents than before"

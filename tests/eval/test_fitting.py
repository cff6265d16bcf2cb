"""Logistic models fitted to examples."""

from dataclasses import replace

import numpy as np
import pytest

from eval.fitting import Example, fit, fit_generated
from pipelines.answering.evidence import Evidence
from pipelines.calibration import NAMES, READ, calibration_for

NONE = Evidence(**dict.fromkeys(NAMES, 0.0))
PASSAGES = [(0.1, False), (0.4, False), (0.5, True), (0.9, True)]


def examples() -> list[Example]:
    """Drawn from a logistic model of the odds alone."""
    rng = np.random.default_rng(3)
    made = []
    for number in range(3000):
        odds = float(rng.random())
        happened = bool(rng.random() < 1 / (1 + np.exp(-(6 * odds - 3))))
        evidence = replace(NONE, odds=odds)
        made.append(Example(evidence=evidence, group="ab"[number % 2], is_answerable=happened, is_right=happened))
    return made


def with_odds(odds: float) -> dict[str, float]:
    return {**dict.fromkeys(NAMES, 0.0), "odds": odds}


def test_a_fit_finds_the_probability_behind_the_data() -> None:
    """What is likelier in the data is likelier in the fit."""
    answerable = fit(examples(), PASSAGES).answerable
    assert answerable.probability(with_odds(0.9)) > 0.8
    assert answerable.probability(with_odds(0.5)) == pytest.approx(0.5, abs=0.05)
    assert answerable.probability(with_odds(0.1)) < 0.2


def test_the_threshold_follows_from_what_a_wrong_refusal_costs() -> None:
    """As much as four answers where there is none: refused is what is answerable less often than one time in five."""
    assert fit(examples(), PASSAGES, refusal_cost=4.0).threshold == pytest.approx(0.2)


def test_questions_without_gold_answers_count_for_refusal_alone() -> None:
    """Whether an answer to them is right cannot be told."""
    made = examples()
    untold = [replace(one, is_right=None) for one in made if one.is_right]
    right, of_the_told = fit([*made, *untold], PASSAGES).right, fit(made, PASSAGES).right
    assert right.probability(with_odds(0.5)) == pytest.approx(of_the_told.probability(with_odds(0.5)), abs=0.03)


def test_what_was_read_closely_is_evidence_where_it_was_read() -> None:
    """Models of their own know it; those that judge without it stay as they are."""
    made = examples()
    said = [2.0 if one.is_answerable is (at % 5 > 0) else -2.0 for at, one in enumerate(made)]  # wrong one time in five
    told = [replace(one, read=said[at]) if at % 2 else one for at, one in enumerate(made)]
    calibration, plain = fit(told, PASSAGES), fit(made, PASSAGES)
    assert calibration.answerable_closely
    assert calibration.right_closely
    assert plain.answerable_closely is None
    assert calibration.answerable == plain.answerable
    in_doubt = with_odds(0.5)
    sure, unsure = (calibration.probabilities({**in_doubt, READ: read}) for read in (2.0, -2.0))
    for high, middle, low in zip(sure, calibration.probabilities(in_doubt), unsure, strict=True):
        assert high > middle > low
    few = [replace(made[0], read=1.0), *made[1:]]
    assert fit(few, PASSAGES).answerable_closely is None


def test_a_language_models_answers_have_a_calibration_of_their_own() -> None:
    """Right half as often as evidence and support say, they are half as sure; the documents' own are untouched."""
    said = [confidence for confidence in (0.2, 0.4, 0.6, 0.8) for _ in range(100)]
    right = [at % 100 < 50 * confidence for at, confidence in enumerate(said)]
    calibration = replace(calibration_for(), generated=fit_generated(list(zip(said, right, strict=True))))
    for confidence in (0.2, 0.4, 0.6, 0.8):
        assert calibration.of_generated(confidence) == pytest.approx(confidence / 2, abs=0.05)
    assert calibration.right == calibration_for().right


def test_more_evidence_never_counts_against_an_answer() -> None:
    """Where the surest answers were wrong, all are as sure as they were right on the mean."""
    calibration = replace(
        calibration_for(), generated=fit_generated([(0.9, False), (0.8, False), (0.1, True), (0.2, True)])
    )
    assert [round(calibration.of_generated(one), 3) for one in (0.1, 0.5, 0.9)] == [0.5] * 3

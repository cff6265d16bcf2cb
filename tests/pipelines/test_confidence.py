"""Evidence and what is made of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.answering.evidence import Evidence, weigh
from pipelines.answering.reading import read
from pipelines.confidence import BUILT_IN, NAMES, Example, calibration_for, fit, judge, relevance, save
from tests.pipelines.answering.retrievals import hit, retrieval

TEXT = "The heron nests by the river in April."
NONE = Evidence(**dict.fromkeys(NAMES, 0.0))


def named(question: str) -> Evidence:
    return weigh(read(retrieval(question, [hit(TEXT)])))


def test_a_covered_question_has_full_coverage() -> None:
    """All its words in one passage."""
    assert named("Does the heron nest by the river?").coverage == pytest.approx(1.0)


def test_a_name_that_the_passages_lack_speaks_against_an_answer() -> None:
    """A capital inside the question that no passage has."""
    assert named("Does the heron nest in Norway?").names > named("Does the heron nest by the river?").names


def test_what_was_shipped_tells_an_answer_from_none() -> None:
    """A question its passage answers is answered surely enough; one about something else is not."""
    good = judge(read(retrieval("When does the heron nest by the river?", [hit(TEXT, cosine=0.75)])))
    strange = retrieval("Who won the chess final in Reykjavik?", [hit(TEXT, cosine=0.05)], unknown=["chess", "final"])
    assert good.is_answerable
    assert not judge(read(strange)).is_answerable
    assert 0 <= judge(read(strange)).confidence < good.confidence <= 1


def test_nothing_found_is_not_answerable() -> None:
    """Without passages there is no evidence to weigh."""
    judgement = judge(read(retrieval("Anything?", [])))
    assert (judgement.is_answerable, judgement.confidence) == (False, 0.0)


def test_relevance_grows_with_the_cosine() -> None:
    """Between 0 and 1, the same for the same passage whatever else was found."""
    near, far = relevance(hit(TEXT, cosine=0.8)), relevance(hit(TEXT, cosine=0.1))
    assert 0 <= far < near <= 1


def test_an_uncalibrated_model_is_judged_without_its_cosines() -> None:
    """Their scale is unknown, so they have no weight."""
    other = calibration_for("some-other-model")
    assert not {"cosine", "lead"} & other.answerable.weights.keys()


def examples() -> list[Example]:
    rng = np.random.default_rng(3)
    made = []
    for number in range(3000):
        coverage = float(rng.random())
        happened = bool(rng.random() < 1 / (1 + np.exp(-(6 * coverage - 3))))
        evidence = replace(NONE, coverage=coverage)
        made.append(Example(evidence=evidence, group="ab"[number % 2], is_answerable=happened, is_right=happened))
    return made


def test_a_fit_finds_the_probability_behind_the_data() -> None:
    """On data drawn from a logistic model more coverage is more probable, and few answerable questions are refused."""
    made = examples()
    calibration = fit(made, [(0.1, False), (0.4, False), (0.5, True), (0.9, True)], wrongly_refused=0.05)
    sure, unsure = (
        calibration.answerable.probability({**dict.fromkeys(NAMES, 0.0), "coverage": coverage})
        for coverage in (0.9, 0.1)
    )
    assert sure > 0.8
    assert unsure < 0.2
    refused = [
        calibration.answerable.probability({**dict.fromkeys(NAMES, 0.0), "coverage": one.evidence.coverage})
        < calibration.threshold
        for one in made
        if one.is_answerable
    ]
    assert np.mean(refused) <= 0.051


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    """Saved and loaded it is the same."""
    calibration = calibration_for()
    save({BUILT_IN: calibration, "*": calibration}, {"date": "2026-11-21"}, tmp_path / "calibration.json")
    assert calibration_for(BUILT_IN, tmp_path / "calibration.json") == calibration

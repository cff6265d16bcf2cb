"""Evidence and what is made of it."""

from pathlib import Path

import numpy as np
import pytest

from pipelines.answering.reading import read
from pipelines.confidence import FEATURES, Calibration, Logistic, features, fit, judge, load
from tests.pipelines.answering.retrievals import hit, retrieval

TEXT = "The heron nests by the river in April."


def named(question: str, text: str = TEXT, **evidence: float) -> dict[str, float]:
    reading = read(retrieval(question, [hit(text, **evidence)]))
    return dict(zip(FEATURES, features(reading), strict=True))


def test_a_covered_question_has_full_coverage() -> None:
    """All its words in one sentence: coverage 1, nothing missing."""
    found = named("Does the heron nest by the river?")
    assert found["coverage of a sentence"] == pytest.approx(1.0)
    assert found["heaviest missing"] == 0.0


def test_a_name_that_the_passages_lack_is_missing() -> None:
    """A capital inside the question that no passage has."""
    assert named("Does the heron nest in Norway?")["names missing"] == 1.0


def test_what_was_shipped_tells_an_answer_from_none() -> None:
    """A question its passage answers is answered surely enough; one about something else is not."""
    good = judge(read(retrieval("When does the heron nest by the river?", [hit(TEXT, cosine=0.75)])))
    strange = read(
        retrieval("Who won the chess final in Reykjavik?", [hit(TEXT, cosine=0.05)], unknown=["chess", "final"])
    )
    assert good.is_answerable
    assert not judge(strange).is_answerable
    assert 0 <= judge(strange).confidence < good.confidence <= 1


def test_nothing_found_is_not_answerable() -> None:
    """Without passages there is no evidence to weigh."""
    judgement = judge(read(retrieval("Anything?", [])))
    assert (judgement.is_answerable, judgement.confidence) == (False, 0.0)


def test_a_fit_finds_the_probability_behind_the_data() -> None:
    """On data drawn from a logistic model, predicted and true probabilities agree."""
    rng = np.random.default_rng(3)
    evidence = rng.normal(size=(4000, 2))
    truth = 1 / (1 + np.exp(-(1.5 * evidence[:, 0] - 0.5)))
    happened = rng.random(4000) < truth
    model, _ = fit(evidence, happened, happened, np.ones(4000))
    predicted = np.array([model.probability(row) for row in evidence])
    assert np.abs(predicted - truth).mean() < 0.05


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    """Saved and loaded it is the same, provenance and all."""
    flat = Logistic((0.0,), (1.0,), (2.0,), 0.5)
    calibration = Calibration(1, {"date": "2026-11-21"}, flat, flat, 0.4)
    calibration.save(tmp_path / "calibration.json")
    loaded = load(tmp_path / "calibration.json")
    assert loaded.threshold == 0.4
    assert loaded.right.probability(np.array([1.0])) == flat.probability(np.array([1.0]))
    assert loaded.provenance == {"date": "2026-11-21"}

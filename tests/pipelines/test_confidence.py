"""Evidence and what is made of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.answering.evidence import Evidence, weigh
from pipelines.answering.reading import read
from pipelines.confidence import (
    BUILT_IN,
    NAMES,
    Example,
    Logistic,
    calibration_for,
    fit,
    fit_generated,
    judge,
    read_calibration,
    relevance,
    save,
)
from tests.pipelines.answering.retrievals import hit, retrieval

TEXT = "The heron nests by the river in April."
NONE = Evidence(**dict.fromkeys(NAMES, 0.0))


def named(question: str) -> Evidence:
    return weigh(read(retrieval(question, [hit(TEXT)])))


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


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    """Saved and loaded it is the same."""
    calibration = replace(calibration_for(), generated=fit_generated([(0.9, True), (0.8, True), (0.7, False)]))
    save({BUILT_IN: calibration, "*": calibration}, {"date": "2026-11-21"}, tmp_path / "calibration.json")
    assert read_calibration(tmp_path / "calibration.json") == calibration


def test_a_language_models_answers_have_a_calibration_of_their_own() -> None:
    """Right half as often as evidence and support say, they are half as sure; the documents' own are untouched."""
    said = [confidence for confidence in (0.2, 0.4, 0.6, 0.8) for _ in range(100)]
    right = [at % 100 < 50 * confidence for at, confidence in enumerate(said)]
    calibration = replace(calibration_for(), generated=fit_generated(list(zip(said, right, strict=True))))
    for confidence in (0.2, 0.4, 0.6, 0.8):
        assert calibration.of_generated(confidence) == pytest.approx(confidence / 2, abs=0.05)
    assert calibration.right == calibration_for().right


def test_unfitted_a_language_models_answers_are_as_sure_as_their_evidence() -> None:
    """There is nothing to go by; nothing is nothing still."""
    assert [calibration_for().of_generated(one) for one in (0.0, 0.123, 0.99)] == [0.0, 0.123, 0.99]


def test_more_evidence_never_counts_against_an_answer() -> None:
    """Where the surest answers were wrong, all are as sure as they were right on the mean."""
    calibration = replace(
        calibration_for(), generated=fit_generated([(0.9, False), (0.8, False), (0.1, True), (0.2, True)])
    )
    assert [round(calibration.of_generated(one), 3) for one in (0.1, 0.5, 0.9)] == [0.5] * 3


GERMAN = "Der Reiher brütet im April am Ufer des Flusses."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wann brütet der Reiher am Fluss?", True),
        ("Wie hoch ist die Miete im Sommer?", False),
        ("Wie hoch die Miete?", False),
    ],
)
def test_in_a_language_that_the_model_does_not_know_words_have_to_meet(question: str, expected: bool) -> None:
    """However near the passage is: to such a model all texts in that language are alike. A question that is too short
    to tell is taken for one in the passage's."""
    one = hit(GERMAN, cosine=0.8)
    found = read(retrieval(question, [replace(one, passage=replace(one.passage, language="de"))]))
    sure = replace(calibration_for(), answerable=Logistic({}, 9.0))
    assert judge(found, sure, {"en"}).is_answerable is expected
    assert judge(found, sure, {"en", "de"}).is_answerable
    assert judge(found, sure).is_answerable

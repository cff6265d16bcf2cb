"""Evidence and what is made of it."""

from dataclasses import replace

import pytest

from pipelines.answering.evidence import Evidence, weigh
from pipelines.answering.reading import read
from pipelines.calibration import READ, Calibration, Logistic, calibration_for
from pipelines.confidence import judge, relevance
from tests.pipelines.answering.retrievals import hit, retrieval

TEXT = "The heron nests by the river in April."


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


class Reader:
    """A classifier that says the same of everything, and remembers what it was asked."""

    def __init__(self, log_odds: float) -> None:
        self.said = log_odds
        self.asked: list[tuple[str, str]] = []

    def log_odds(self, question: str, text: str) -> float:
        self.asked.append((question, text))
        return self.said


QUESTION = "When does the heron nest by the river?"
EITHER, READING = Logistic({}, 0.0), Logistic({READ: 1.0}, 0.0)
IN_DOUBT = Calibration(
    answerable=EITHER, right=EITHER, relevant=EITHER, threshold=0.2, answerable_closely=READING, right_closely=READING
)


def test_what_was_read_closely_counts_where_there_is_doubt() -> None:
    """An answer becomes surer or less sure, down to none at all."""
    found = read(retrieval(QUESTION, [hit(TEXT)]))
    for said, is_answerable in ((3.0, True), (-3.0, False)):
        reader = Reader(said)
        judgement = judge(found, IN_DOUBT, classifier=reader)
        assert judgement.is_answerable is is_answerable
        assert judgement.confidence == pytest.approx(READING.probability({READ: said}))
        assert reader.asked == [(QUESTION, f"Page. {TEXT}")]


@pytest.mark.parametrize(
    "calibration",
    [
        replace(IN_DOUBT, answerable=Logistic({}, 9.0)),
        replace(IN_DOUBT, answerable=Logistic({}, -9.0)),
        replace(IN_DOUBT, answerable_closely=None, right_closely=None),
    ],
)
def test_what_is_certain_is_not_read(calibration: Calibration) -> None:
    """Nor what no calibration tells the meaning of."""
    found, reader = read(retrieval(QUESTION, [hit(TEXT)])), Reader(-3.0)
    assert judge(found, calibration, classifier=reader) == judge(found, calibration)
    assert not reader.asked

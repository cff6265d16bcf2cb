"""What to ask next: answerable, new, in the passage's language."""

from collections.abc import Sequence

import pytest

from pipelines.answering.claims import Claim
from pipelines.answering.reading import read
from pipelines.confidence import Judgement
from pipelines.follow_ups import follow_ups
from pipelines.inquiry import Finding, Inquiry
from pipelines.types import Hit
from tests.pipelines.answering.retrievals import hit, retrieval

CITED = hit("The heron nests by the river.", 1, title="Herons › Nests")


def beside(number: int, context: str, text: str = "") -> Hit:
    return hit(text or f"Passage {number}.", number, title=context)


def inquiry(question: str, others: Sequence[Hit], *parts: str) -> Inquiry:
    sure = Judgement(is_answerable=True, confidence=0.9)
    readings = [read(retrieval(part, [CITED, *others])) for part in parts or (question,)]
    return Inquiry(question, tuple(Finding(reading, sure) for reading in readings))


def ask(*others: Hit, found: float = 1.0) -> tuple[str, ...]:
    def check(question: str, wanted: Hit) -> float:
        return found

    return follow_ups(inquiry("Where does the heron nest?", others), [Claim("It nests by the river.", (CITED,))], check)


def test_headings_beside_what_was_cited_become_questions() -> None:
    """At most three, each about another heading."""
    questions = ask(*(beside(number, f"Herons › Topic {word}") for number, word in enumerate(["a", "b", "c", "d"], 2)))
    assert 1 <= len(questions) <= 3
    assert len(set(questions)) == len(questions)


def test_what_cannot_be_answered_is_not_asked() -> None:
    """Each is checked by a search that has to find more than a few of its words."""
    assert ask(beside(2, "Herons › Feeding habits"), found=0.5)
    assert ask(beside(2, "Herons › Feeding habits"), found=0.3) == ()


def test_a_heading_loses_its_capital_inside_a_sentence() -> None:
    """A word of one letter, too; a name keeps it."""
    assert ask(beside(2, "Herons › A short calendar"))[0].endswith(" about a short calendar?")
    assert ask(beside(2, "Herons › EU rules"))[0].endswith(" about EU rules?")


def test_what_was_cited_is_not_asked_again() -> None:
    """The cited passage's own heading is no next question."""
    assert ask(beside(2, "Herons › Nests")) == ()


def test_where_there_is_no_heading_a_name_is_asked_about() -> None:
    """The first one of several words that the title does not have; a sentence's first word is none."""
    passage = beside(2, "Bitterns", "Grey Herons winter in the south, says Ada Lovelace of Kings College.")
    assert ask(passage) == ("What does “Bitterns” say about Ada Lovelace of Kings College?",)
    assert ask(beside(2, "Bitterns", "They winter in the south.")) == ("What does “Bitterns” cover?",)


@pytest.mark.parametrize("title", ["Chat log 20261202", "minutes_final › Who was there", "scan0012.pdf"])
def test_names_that_machines_give_are_not_spoken(title: str) -> None:
    """A follow-up question is one that a person would ask."""
    assert ask(beside(2, title, "They winter in the south.")) == ()


def test_no_part_of_a_question_is_asked_again() -> None:
    """Neither what the whole says nor what one of its parts does."""
    others = [beside(2, "Herons › What do herons eat?"), beside(3, "Herons › Feathers")]
    asked = inquiry(
        "Where do herons nest and what do herons eat?", others, "Where do herons nest", "what do herons eat"
    )
    questions = follow_ups(asked, [Claim("It nests by the river.", (CITED,))], lambda *_: 1.0)
    assert questions == ("What does “Herons › Feathers” say about feathers?",)

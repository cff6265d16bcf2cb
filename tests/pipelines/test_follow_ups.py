"""What to ask next: answerable, new, in the passage's language."""

from pipelines.answering.claims import Claim
from pipelines.answering.reading import read
from pipelines.follow_ups import follow_ups
from pipelines.types import Hit
from tests.pipelines.answering.retrievals import hit, retrieval

CITED = hit("The heron nests by the river.", 1, title="Herons › Nests")


def beside(number: int, context: str) -> Hit:
    return hit(f"Passage {number}.", number, title=context)


def ask(*others: Hit, answerable: bool = True) -> tuple[str, ...]:
    def check(question: str, wanted: Hit) -> bool:
        return answerable

    reading = read(retrieval("Where does the heron nest?", [CITED, *others]))
    return follow_ups(reading, [Claim("It nests by the river.", (CITED,))], check)


def test_headings_beside_what_was_cited_become_questions() -> None:
    """At most three, each about another heading."""
    questions = ask(*(beside(number, f"Herons › Topic {word}") for number, word in enumerate(["a", "b", "c", "d"], 2)))
    assert 1 <= len(questions) <= 3
    assert len(set(questions)) == len(questions)


def test_what_cannot_be_answered_is_not_asked() -> None:
    """Each is checked by a search."""
    assert ask(beside(2, "Herons › Feeding habits"), answerable=False) == ()


def test_what_was_cited_is_not_asked_again() -> None:
    """The cited passage's own heading is no next question."""
    assert ask(beside(2, "Herons › Nests")) == ()

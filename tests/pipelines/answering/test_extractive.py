"""Answers without a model: the right sentence, verbatim, short, and nothing that looks like a marker."""

from pipelines.answering.extractive import extract
from pipelines.answering.reading import read
from tests.pipelines.answering.retrievals import hit, retrieval

HERON = "The heron is a wading bird. It nests by the river in April. Its eggs are blue. Kites nest in trees."
QUESTION = "When does the heron nest by the river?"


def answer(question: str, *texts: str) -> str:
    hits = [hit(text, number, score=1 / number) for number, text in enumerate(texts, 1)]
    return " ".join(claim.text for claim in extract(read(retrieval(question, hits)), max_citations=5))


def test_the_sentence_that_answers_comes_first() -> None:
    """Of several it is the one with the question's words and a date."""
    assert answer(QUESTION, HERON).startswith("It nests by the river in April.")


def test_the_answer_is_short() -> None:
    """At most sixty words with its markers, however much was found."""
    assert len(answer(QUESTION, *[HERON * 4] * 5).split()) <= 57


def test_the_same_is_not_said_twice() -> None:
    """Passages that repeat each other give one claim."""
    assert answer(QUESTION, HERON, HERON).count("It nests by the river in April.") == 1


def test_bracketed_numbers_of_a_document_do_not_reach_the_answer() -> None:
    """They would read as markers."""
    assert "[3]" not in answer(QUESTION, "The heron nests by the river in April [3].")


def test_nothing_is_claimed_where_nothing_was_found() -> None:
    """No hits, no claims."""
    assert answer(QUESTION) == ""


def test_no_more_passages_are_cited_than_allowed() -> None:
    """`max_citations` bounds the passages, not the sentences."""
    hits = [hit(f"Heron number {n} nests by the river in month {n}.", n) for n in range(1, 5)]
    claims = extract(read(retrieval(QUESTION, hits)), max_citations=1)
    assert len({one.passage.id for claim in claims for one in claim.hits}) == 1

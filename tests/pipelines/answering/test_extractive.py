"""Answers without a model: the right sentence, verbatim, short, and nothing that looks like a marker."""

from dataclasses import replace
from datetime import date

import pytest

from pipelines.answering.extractive import extract
from pipelines.answering.reading import read
from pipelines.text.tokens import query_tokens
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
    """At most sixty words with its four markers, however much was found."""
    assert len(answer(QUESTION, *[HERON * 4] * 5).split()) <= 56


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


def cited(question: str, *texts: tuple[str, float]) -> set[int]:
    hits = [hit(text, number, score=score) for number, (text, score) in enumerate(texts, 1)]
    claims = extract(read(retrieval(question, hits)), max_citations=5)
    return {one.passage.id for claim in claims for one in claim.hits}


def test_where_documents_are_as_likely_each_of_them_has_its_say() -> None:
    """Rather than one document with all its sentences."""
    other = "The bittern is shy. It nests by the lake in the month of May, and by the river when water is low."
    assert cited(QUESTION, (HERON, 0.9), (other, 0.9)) == {1, 2}


def test_only_the_first_quote_is_long() -> None:
    """A further one is cut to the part about the question."""
    long = "The bittern nests by the river, " + "as people in the valley have always known, " * 4 + "in May."
    claims = extract(read(retrieval(QUESTION, [hit(HERON, 1), hit(long, 2, score=0.8)])), max_citations=5)
    assert all(len(claim.text.split()) <= 24 for claim in claims)
    assert any("…" in claim.text for claim in claims)


def test_what_passages_agree_on_is_cited_from_each_of_them() -> None:
    """One claim, two witnesses."""
    claims = extract(read(retrieval(QUESTION, [hit(HERON, 1), hit(HERON, 2)])), max_citations=5)
    assert [one.passage.id for one in claims[0].hits] == [1, 2]


def test_of_two_that_differ_in_a_number_the_later_document_is_right() -> None:
    """And the earlier one is no witness."""
    old = hit("A room in Lyon costs at most 98 euros a night.", 1, day=date(2024, 1, 1))
    new = hit("A room in Lyon costs at most 145 euros a night.", 2, day=date(2026, 1, 1), title="Rooms", score=0.8)
    claims = extract(read(retrieval("What may a room in Lyon cost?", [old, new])), max_citations=5)
    assert [(claim.text, [one.passage.id for one in claim.hits]) for claim in claims] == [
        ("A room in Lyon costs at most 145 euros a night.", [2])
    ]


@pytest.mark.parametrize(
    ("language", "question", "beside", "expected"),
    [
        ("de", "Wann nistet der Reiher?", "Der Reiher ist groß. ", "Er nistet im April am Fluss."),
        ("fr", "Quand niche le héron ?", "Le héron est grand. ", "Il niche en avril."),
        ("es", "¿Cuándo anida la garza?", "La garza es grande. ", "Anida en abril junto al río."),
        ("zh", "鹭什么时候筑巢?", "鹭是一种水鸟。", "它四月在河边筑巢。"),
        ("ja", "サギはいつ巣を作りますか?", "サギは水鳥です。", "四月に川で巣を作ります。"),
        ("ar", "متى يعشش مالك الحزين؟", "مالك الحزين طائر كبير. ", "يعشش في شهر أبريل قرب النهر."),
    ],
)
def test_other_languages(language: str, question: str, beside: str, expected: str) -> None:
    """The sentence with the date comes first, in each of them."""
    spoken = hit(beside + expected)
    spoken = replace(spoken, passage=replace(spoken.passage, language=language))
    asked = retrieval(question, [spoken])
    weights = dict.fromkeys(query_tokens(question, {language}), 2.0)
    asked = replace(asked, question=replace(asked.question, term_weights=weights))
    assert extract(read(asked), max_citations=5)[0].text == expected

"""Windows are slices of a text around a sentence."""

from __future__ import annotations

from random import Random as Draw

from eval.training.windows import around, most_alike, sentences

CONTENT = (
    "The heron nests by the river in April. It lays four eggs. Herons eat fish and frogs. The kite nests in oak trees "
    "in May. The kite lays three white eggs there. Visitors see both birds from the tower."
)
PARTS = sentences(CONTENT)


def test_sentences_are_the_text_cut_up() -> None:
    """Each a slice of it, without what is between them."""
    assert [CONTENT[start:end] for start, end in PARTS] == CONTENT.replace(". ", ".|").split("|")


def test_neighbours_come_in_while_there_is_room() -> None:
    """In turns on both sides; the sentence itself always."""
    assert CONTENT[slice(*around(CONTENT, PARTS, 2, 5))] == "Herons eat fish and frogs."
    assert CONTENT[slice(*around(CONTENT, PARTS, 2, 10))] == "It lays four eggs. Herons eat fish and frogs."
    assert CONTENT[slice(*around(CONTENT, PARTS, 2, 100))] == CONTENT
    assert CONTENT[slice(*around(CONTENT, PARTS, 0, 1))] == "The heron nests by the river in April."


def test_the_sentence_like_a_question_shares_its_words() -> None:
    """Which one it is, is a little left to chance."""
    found = {most_alike("How many eggs does a kite lay?", CONTENT, PARTS, Draw(seed)) for seed in range(9)}
    assert found == {PARTS[4]}

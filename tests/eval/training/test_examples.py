"""Examples for the answerability classifier: what holds an answer, what only looks like it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random as Draw

import pytest

from eval.training.examples import (
    Asked,
    Text,
    TrainingExample,
    of_squad,
    of_written,
    read_near_misses,
    read_squad,
    read_written,
)

CONTENT = (
    "The heron nests by the river in April. It lays four eggs. Herons eat fish and frogs. The kite nests in oak trees "
    "in May. The kite lays three white eggs there. Visitors see both birds from the tower."
)
APRIL = (CONTENT.index("April"), CONTENT.index("April") + 5)
HERON = Asked("When does the heron nest by the river?", APRIL)
NOBODY = Asked("When does the heron nest in Norway?")
BIRDS = Text("Birds", CONTENT, (HERON, NOBODY))
BOATS = Text("Birds", "The heron is also a boat, built in 1998 by the river.", ())


def said(example: TrainingExample) -> str | None:
    return example.answer and example.text[slice(*example.answer)]


@pytest.mark.parametrize("seed", range(20))
def test_each_example_says_where_its_answer_is(seed: int) -> None:
    """In a window of the text; nowhere where the question has none."""
    for example in of_written([BIRDS], Draw(seed)):
        assert example.text in CONTENT
        holds = example.question == HERON.question and "April" in example.text
        assert said(example) == ("April" if holds else None)


def test_who_wrote_a_question_does_not_tell_what_it_is() -> None:
    """At most two unanswered questions are taken for an answered one; now and then a third is made of that one."""
    text = Text("Birds", CONTENT, (HERON, *(Asked(f"When does the heron nest in {number} BC?") for number in range(9))))
    drawn = [list(of_written([text], Draw(seed))) for seed in range(40)]
    assert {sum("BC" in example.question for example in examples) for examples in drawn} == {2}
    assert {len(examples) for examples in drawn} == {3, 4}


def test_of_an_answered_question_one_without_is_made() -> None:
    """Perturbed, asked of other sentences, or of another text of its article; the answer is in none of them."""
    texts = [Text("Birds", CONTENT, (HERON,)), BOATS]
    examples = [example for seed in range(60) for example in of_squad(texts, Draw(seed))]
    wrong = [example for example in examples if example.answer is None]
    assert {said(example) for example in examples} == {"April", None}
    assert {example.text for example in wrong} >= {BOATS.content}
    assert any("kite" in example.text for example in wrong)
    assert not any("April" in example.text for example in wrong)


def test_a_file_of_texts_is_read(tmp_path: Path) -> None:
    """Title, text, questions with their words in it and without; what is not in the text is left out."""
    (tmp_path / "f.txt").write_text(
        "## Birds › Heron\nIt nests in April.\nIt lays * four eggs.\n+ When? | in April\n+ How many? | five\n- Why?\n\n"
        "## Boats\nNone.\n"
    )
    birds, boats = read_written(tmp_path / "f.txt")
    assert birds == Text(
        "Birds › Heron", "It nests in April.\nIt lays * four eggs.", (Asked("When?", (9, 17)), Asked("Why?"))
    )
    assert boats == Text("Boats", "None.", ())


def test_near_misses_are_about_the_texts_of_another_file(tmp_path: Path) -> None:
    """By number."""
    (tmp_path / "f.txt").write_text("# 1\n- Who saw it in Norway?\n- Where else?\n+ Which month? | April\n")
    [text] = read_near_misses(tmp_path / "f.txt", [BOATS, Text("Birds", CONTENT, (HERON,))])
    assert text.content == CONTENT
    assert [asked.answer for asked in text.asked] == [None, None, APRIL]


def test_the_format_is_that_of_squad(tmp_path: Path) -> None:
    """Titles, paragraphs, questions with their first answers."""
    asked = [{"question": " Who? ", "answers": [{"text": "Anna", "answer_start": 0}, {"text": "A", "answer_start": 0}]}]
    raw = {"data": [{"title": "A_B", "paragraphs": [{"context": "Anna.", "qas": asked}]}]}
    (tmp_path / "f.json").write_text(json.dumps(raw))
    assert read_squad(tmp_path / "f.json") == [Text("A B", "Anna.", (Asked("Who?", (0, 4)),))]

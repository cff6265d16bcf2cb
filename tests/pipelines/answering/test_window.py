"""What is read closely is the likeliest unit among its neighbours."""

from __future__ import annotations

from dataclasses import replace

from pipelines.answering.reading import read
from pipelines.answering.window import WORDS, read_closely
from tests.pipelines.answering.retrievals import hit, retrieval

BEFORE = "Herons are large birds of the river."
BEST = "The heron lays four blue eggs in April."
BEHIND = "The young leave the nest in June."
QUESTION = "When does the heron lay its eggs?"


def test_neighbours_and_heading_come_with_it() -> None:
    """What "it" and "this" speak of, and what the passage is about."""
    found = hit(f"{BEFORE} {BEST} {BEHIND}", title="Blue heron")
    text = read_closely(read(retrieval(QUESTION, [found])))
    assert text is not None
    assert text.endswith(f"{BEFORE} {BEST} {BEHIND}")
    assert text.startswith("Blue heron. ")


def test_there_is_room_for_so_many_words() -> None:
    """A neighbour that is too long stays away, one that fits comes in."""
    long = f"Many {'very ' * WORDS}large birds live there."
    text = read_closely(read(retrieval(QUESTION, [hit(f"{long} {BEST} {BEHIND}")])))
    assert text is not None
    assert text.endswith(f"{BEST} {BEHIND}")
    assert "very" not in text


def test_numbers_count_as_they_are_read() -> None:
    """A neighbour of a few long codes takes the room of many words, and a heading only so much."""
    codes = f"Orders {' '.join(['2026-11-4711-0815-A'] * 20)}."
    text = read_closely(read(retrieval(QUESTION, [hit(f"{codes} {BEST} {BEHIND}", title="Very " * 100)])))
    assert text is not None
    assert text.endswith(f"{BEST} {BEHIND}")
    assert len(text) < 200


def test_only_english_is_read() -> None:
    """Neither a question nor a text in another language: the classifier has not learnt them."""
    english = hit(f"{BEFORE} {BEST}")
    german = replace(english, passage=replace(english.passage, language="de"))
    assert read_closely(read(retrieval(QUESTION, [german]))) is None
    assert read_closely(read(retrieval("Wann legt der Reiher seine Eier?", [english]))) is None
    assert read_closely(read(retrieval(QUESTION, [english])))

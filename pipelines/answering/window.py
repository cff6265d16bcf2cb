"""What is read closely: the likeliest unit among its neighbours, under the heading it stands beneath."""

from __future__ import annotations

from pipelines.answering.passages import Unit
from pipelines.answering.reading import Reading
from pipelines.text.context import SEPARATOR

LANGUAGE = "en"
"""Of question and text: what the classifier was trained in."""
WORDS = 54
LETTERS = 6
"""Of a word: numbers and codes without blanks count as several, as they do in tokens."""
HEADING = 100
"""Characters of a heading that are read."""


def read_closely(reading: Reading) -> str | None:
    """The text around the likeliest unit; None where it or the question is not in English."""
    best = reading.units[reading.ranking[0]]
    return window(best) if best.passage.language == reading.language == LANGUAGE else None


def window(unit: Unit) -> str:
    """The unit, with the one before and the one behind it as far as there is room."""
    passage, pieces = unit.passage.hit.passage, unit.passage.pieces
    first = last = next(place for place, piece in enumerate(pieces) if piece is unit.piece)
    room = WORDS - _words(unit.text)
    for place in (first - 1, first + 1):
        if 0 <= place < len(pieces):
            length = _words(passage.text[pieces[place].start : pieces[place].end])
            if length <= room:
                room -= length
                first, last = min(first, place), max(last, place)
    text = passage.text[pieces[first].start : pieces[last].end]
    heading = passage.context.replace(SEPARATOR, ". ")[:HEADING]
    return f"{heading}. {text}" if heading else text


def _words(text: str) -> int:
    return max(len(text.split()), len(text) // LETTERS)

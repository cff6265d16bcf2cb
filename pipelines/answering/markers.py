"""Citation markers in what a model writes, and its sentences, found while it is still writing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.answering.tidy import tidy
from pipelines.text.sentences import sentences

OPEN, CLOSE = r"[\[【]", r"[\]】]"
MARKER = re.compile(
    rf"{OPEN}\s*(?:passages?\s*)?(\d{{1,3}}(?:\s*(?:[,;，、]|and|&)\s*\d{{1,3}})*)\s*{CLOSE}", re.IGNORECASE
)
LEADING_MARKERS = re.compile(rf"\s*(?:{MARKER.pattern}\s*)+[.!?。！？]?", re.IGNORECASE)
GLUED = re.compile(r"([.!?])(?=[\[【]\s*(?:passages?\s*)?\d)", re.IGNORECASE)
FINISHED = re.compile(rf"(?:[.!?…。！？]|{CLOSE})[\"'”’」』）)]*\s*$")
UNFINISHED = re.compile(rf"\s*{OPEN}[^\]】]{{0,40}}$")
"""What may still become a marker."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a model's answer without its markers, and the passage numbers that they name, in order."""

    text: str
    numbers: tuple[int, ...]


class StatementStream:
    """Cuts a growing text into statements; one is complete when the next has begun."""

    def __init__(self) -> None:
        self._text = ""

    def feed(self, text: str) -> Iterator[Statement]:
        """The statements that this piece of text completes."""
        self._text = GLUED.sub(r"\1 ", self._text + text)
        while (end := self._first_end()) is not None:
            complete, self._text = self._text[:end], self._text[end:]
            yield from _statement(complete)

    def close(self, *, cut_off: bool = False) -> Iterator[Statement]:
        """What is left at the end, without an unfinished sentence where the model was cut off."""
        rest, self._text = self._text, ""
        while rest.strip():
            end = _end_with_markers(rest, sentences(rest)[0][1])
            if not (cut_off and end == len(rest.rstrip()) and not FINISHED.search(rest)):
                yield from _statement(rest[:end])
            rest = rest[end:]

    def _first_end(self) -> int | None:
        """Where the first sentence and its markers end, once something else has begun behind them."""
        spans = sentences(self._text)
        if not spans:
            return None
        end = _end_with_markers(self._text, spans[0][1])
        rest = self._text[end:]
        return end if rest.strip() and not UNFINISHED.match(rest) else None


def _end_with_markers(text: str, end: int) -> int:
    behind = LEADING_MARKERS.match(text, end)
    return behind.end() if behind else end


def _statement(text: str) -> Iterator[Statement]:
    numbers = [int(number) for marker in MARKER.finditer(text) for number in re.findall(r"\d+", marker.group(1))]
    cleaned = tidy(re.sub(rf"\s*{MARKER.pattern}", "", text, flags=re.IGNORECASE))
    if any(character.isalpha() for character in cleaned):
        yield Statement(cleaned, tuple(dict.fromkeys(numbers)))

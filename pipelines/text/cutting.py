"""Cuts what is too long for a passage and has no end of a sentence: at white space, else between characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

Span = tuple[int, int]

SPACE = re.compile(r"\s")
REACH = 200
"""Characters around the middle that are searched for white space."""
LONGEST_CLUSTER = 64
MARKS = frozenset({"Mn", "Mc", "Me"})


def trimmed(text: str, start: int, end: int) -> Span:
    """Without white space at either end; empty where there is nothing else."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def even_pieces(text: str, start: int, end: int, number: int) -> Iterator[Span]:
    """The span in about so many pieces of about the same length, without white space at their ends."""
    length = (end - start) / number
    at = start
    for cut in range(1, number):
        middle = start + round(cut * length)
        if at < middle < end:
            stop = _cut_near(middle, text, min(REACH, int(length / 4)))
            yield from _if_any(trimmed(text, at, stop))
            at = stop
    yield from _if_any(trimmed(text, at, end))


def _if_any(span: Span) -> tuple[Span, ...]:
    return (span,) if span[0] < span[1] else ()


def _cut_near(middle: int, text: str, reach: int) -> int:
    """Where to cut: at white space near the middle, else not within a character."""
    if (space := SPACE.search(text, middle, middle + reach)) or (space := SPACE.search(text, middle - reach, middle)):
        return space.start()
    back = min(LONGEST_CLUSTER, reach)
    return next((at for at in range(middle, middle - back, -1) if not _joined(text, at)), middle)


def _joined(text: str, at: int) -> bool:
    """Whether the character at `at` is one with the character before it, as a reader sees it."""
    here, before = text[at], text[at - 1]
    return (
        here in "\u200c\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or category(here) in MARKS
        or "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
        or "\u1160" <= here <= "\u11ff"  # vowels and final consonants of a Hangul syllable
        or ("\U0001f1e6" <= here <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")  # flags
        or ("\udc00" <= here <= "\udfff" and "\ud800" <= before <= "\udbff")
    )

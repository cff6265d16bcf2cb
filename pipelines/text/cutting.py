"""Cuts what is too long for a passage and has no end of a sentence: at white space, else between characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


def halves(text: str, start: int, end: int, fits: Callable[[Span], bool]) -> Iterator[Span]:
    """The span in pieces that fit, by halving; a piece of one character fits."""
    start, end = trimmed(text, start, end)
    if start == end:
        return
    if end - start == 1 or fits((start, end)):
        yield start, end
        return
    middle = cut_near((start + end) // 2, text, start, end)
    yield from halves(text, start, middle, fits)
    yield from halves(text, middle, end, fits)


def cut_near(middle: int, text: str, start: int, end: int) -> int:
    """Where to cut, after `start` and before `end`: at white space near the middle, else not within a character."""
    reach = min(REACH, (end - start) // 4)
    if (space := SPACE.search(text, middle, middle + reach)) or (space := SPACE.search(text, middle - reach, middle)):
        return space.start()
    lowest = max(start + 1, middle - LONGEST_CLUSTER)
    return next((at for at in range(middle, lowest - 1, -1) if not _joined(text, at)), middle)


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

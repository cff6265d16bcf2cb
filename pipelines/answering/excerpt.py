"""A part of what is too long to be quoted whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from pipelines.answering.units import count_words

BOUNDARY = re.compile(r"(?<=[,;:，；：、。])\s*|\s+(?=[(–—])|(?<=[)\n])\s*|\s*(?=\|)")
"""Where a clause, a cell or a line may end."""
ELLIPSIS = "…"


def excerpt(text: str, about: str, limit: int) -> str:
    """The part of at most `limit` words, cut between clauses, that has most words of what it is about; early wins."""
    if count_words(text) <= limit:
        return text
    words = _words(about)
    parts = list(_parts(text, limit)) or [_cut(text, limit)]
    start, end = max(parts, key=lambda part: len(words & _words(text[slice(*part)])) - part[0] / len(text))
    return f"{ELLIPSIS + ' ' if start else ''}{text[start:end].strip()}{' ' + ELLIPSIS if end < len(text) else ''}"


def _parts(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """The longest part from each boundary on."""
    cuts = sorted({0, *(found.start() for found in BOUNDARY.finditer(text)), len(text)})
    for place, start in enumerate(cuts):
        # A longer part has no fewer words.
        fitting = bisect_right(cuts, limit, place + 1, key=lambda end: count_words(text[start:end]))
        if fitting > place + 1:
            yield start, cuts[fitting - 1]


def _cut(text: str, limit: int) -> tuple[int, int]:
    """The beginning, where no boundary is near enough."""
    longest = 0
    for found in re.finditer(r"\S+|(?<=\S)", text):
        if count_words(text[: found.end()]) > limit:
            break
        longest = found.end()
    return 0, longest or limit


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))

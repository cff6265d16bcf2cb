"""Windows of a text: a sentence with its neighbours, as many as there is room for."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence

Span = tuple[int, int]

ROOM = (36, 54, 54, 54, 80, 110)
"""Words of a window, drawn for each: about what is read of a passage (`pipelines/answering/window.py`)."""
CHANCE = 0.2
"""By how much luck counts where a sentence like the question is wanted: a retriever has other reasons, too."""
STEM = 6
"""Letters by which words are taken for the same."""
SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[A-Z0-9\"“('])|\n+")
WORD = re.compile(r"\w+")
COMMON = frozenset(
    WORD.findall(
        "the a an of in on at to for and or is was are were be been do does did what which who whom whose when where"
        " why how many much that this these those it its with by from as s t i you he she they we his her their my your"
        " not have has had will would can could should about there than then so if"
    )
)


def sentences(text: str) -> list[Span]:
    """Each a slice, without what is between them."""
    ends = [*((found.start(), found.end()) for found in SENTENCE.finditer(text)), (len(text), len(text))]
    starts = [0, *(after for _, after in ends[:-1])]
    return [(start, end) for start, (end, _) in zip(starts, ends, strict=True) if end > start]


def around(text: str, parts: Sequence[Span], place: int, room: int) -> Span:
    """The sentence at `place` with those before and behind it, in turns, up to `room` words."""
    lengths = [len(text[start:end].split()) for start, end in parts]
    first = last = place
    room -= lengths[place]
    grown = True
    while grown:
        grown = False
        for beside in (first - 1, last + 1):
            if 0 <= beside < len(parts) and lengths[beside] <= room:
                room -= lengths[beside]
                first, last, grown = min(first, beside), max(last, beside), True
    return parts[first][0], parts[last][1]


def words(text: str) -> set[str]:
    return {word[:STEM] for word in WORD.findall(text.lower()) if word not in COMMON}


def most_alike(question: str, text: str, parts: Sequence[Span], draw: random.Random) -> Span:
    """The sentence that a retriever would take for the answer: the one that shares most words, or nearly so."""
    wanted = words(question)

    def likeness(part: Span) -> float:
        said = words(text[slice(*part)])
        return len(wanted & said) / math.pow(4 + len(said), 0.3) + CHANCE * draw.random()

    return max(parts, key=likeness)


def overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]

"""What a passage stands under: its document's title and its headings, short enough to be embedded with it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import takewhile

from pipelines.text.counting import Counter
from pipelines.text.markdown import Block, Kind

Headings = tuple[str, ...]

SEPARATOR = " › "
SHARE = 5
"""The context takes at most this part of the window."""


def context_of(title: str, headings: Headings, count_tokens: Counter, window: int) -> str:
    """Title and headings; where they are too long the outer headings go first, then the ends of those that are left."""
    parts = list(dict.fromkeys(name for name in (" ".join(part.split()) for part in (title, *headings)) if name))
    most = window // SHARE
    while len(parts) > 2 and count_tokens(SEPARATOR.join(parts)) > most:
        del parts[1]
    whole = SEPARATOR.join(parts)
    if count_tokens(whole) <= most:
        return whole
    each = (most - count_tokens(SEPARATOR)) // len(parts)
    return SEPARATOR.join(_beginning(part, count_tokens, each) for part in parts)


def _beginning(text: str, count_tokens: Counter, most: int) -> str:
    def tokens(length: int) -> int:
        return count_tokens(text[:length])

    longest = bisect_right(range(len(text) + 1), most, key=tokens) - 1
    return text[: max(0, longest)].rstrip()


def section_paths(found: Iterable[Block]) -> list[Headings]:
    """The headings of each section, outermost first; the first section is what stands before any heading."""
    paths: list[Headings] = [()]
    open_levels: list[int] = []
    for block in found:
        if block.kind is Kind.HEADING:
            open_levels = [*(level for level in open_levels if level < block.level), block.level]
            paths.append((*paths[-1][: len(open_levels) - 1], block.title))
    return paths


def common(paths: Sequence[Headings]) -> Headings:
    """The headings that all paths begin with."""
    same = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in same)

"""Sentences as character spans, in linear time, for any script: the splitter packs them, answers quote them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

Span = tuple[int, int]

# One alternative each: a full stop of spaced scripts, of scripts without spaces, the end of a line that ends a block.
BOUNDARY = re.compile(
    r"""(?P<stop>[.!?…؟۔।॥]["'”’»)\]]{0,3})(?=\s)"""
    r"""|[。！？｡][」』”’）]{0,3}"""
    r"""|^#{1,6} [^\n]{0,300}\n"""
    r"""|\n(?=[ \t]*(?:\n|[-*+•|>#]|\d{1,3}[.)]\s|[A-Z][^\n:]{0,40}:\s))"""
    r"""|(?<=[|:])\n""",
    re.MULTILINE,
)
ABBREVIATIONS = frozenset(
    """al approx apr art aug bzw ca cf ch co corp dec dept dr ed eds e.g eg eq est etc evtl ext feb fig figs gen gov hon i.e ie inc jan jr jul jun
    lt ltd max mio mr mrs ms mt nos nov nr oct p.ex pp prof ref rev sen sep sept sr st str tel u.a usw vgl viz vol vs z.b""".split()
)
LAST_WORD = re.compile(r"[\w.]+$")
LOOK_BACK = 24
LONGEST = 1_500
"""Characters after which a sentence without any end is cut at a space, or anywhere where there is none."""


def sentences(text: str) -> list[Span]:
    """Spans (start, end) in order, trimmed; between them is nothing but white space."""
    return [span for block in _blocks(text) for span in _bounded(text, *block)]


def _blocks(text: str) -> Iterator[Span]:
    start = 0
    for match in BOUNDARY.finditer(text):
        if match["stop"] and text[match.start()] == "." and _is_abbreviation(text, match.start(), match.end()):
            continue
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _is_abbreviation(text: str, stop: int, end: int) -> bool:
    """Whether the full stop at `stop` ends a word that is usually cut short, an initial, or stands before small letters."""
    following = text[end : end + 3].lstrip(" \t")
    if following[:1].islower() and "\n" not in text[end : end + 3]:
        return True
    match = LAST_WORD.search(text, max(0, stop - LOOK_BACK), stop)
    word = match.group() if match else ""
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    return is_initial or word.lower() in ABBREVIATIONS


def _bounded(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    while end - start > LONGEST:
        cut = soft_cut(text, start, start + LONGEST)
        yield from _bounded(text, start, cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def soft_cut(text: str, start: int, limit: int) -> int:
    """Where to cut a text without an end: behind the last white space before `limit`, never before a combining mark."""
    for at in range(limit, max(start + (limit - start) // 2, start), -1):
        if text[at - 1].isspace():
            return at
    cut = limit
    while cut > start + 1 and _joins(text, cut):
        cut -= 1
    return cut if cut > start + 1 else limit


def _joins(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before: combining marks, joiners, variation selectors."""
    return at < len(text) and (
        category(text[at]) in {"Mn", "Mc", "Me"} or text[at] in "\u200d\ufe0f" or text[at - 1] == "\u200d"
    )

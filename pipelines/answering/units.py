"""The pieces of a passage that may be quoted: sentences, table rows, short labelled lines, lists with their lead-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipelines.text.sentences import sentences

Span = tuple[int, int]

HEADINGS = re.compile(r"(?:#{1,6}[ \t][^\n]*\n*|(?:\*\*|Q:[ \t]*)[^\n:]*[?？](?:\*\*)?(?:\n+|$))+")
"""Headings, and questions of a list of questions: what follows answers them."""
ROW = re.compile(r"\|[^\n]*")
LABEL = re.compile(r"[^\W\d_][\w .'&-]{0,30}[:：]\s")
"""A speaker or a field's name at the beginning of a line."""
ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,2}[.)])\s")
NO_SPACE_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
LABELLED_LINE = 25
LIST = 45
"""Most words of a labelled line and of a list that stay together."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A piece of a passage, and what stands above it there: its heading, in a table the head row."""

    start: int
    end: int
    above: str


def count_words(text: str) -> int:
    """Words between blanks; two characters of a script without blanks count as one."""
    words = len(text.split())
    return words if text.isascii() else max(words, len(NO_SPACE_SCRIPT.findall(text)) // 2)


def units(text: str) -> list[Quotable]:
    """In order, without headings, rules and fences."""
    joined: list[Quotable] = []
    for unit in _below_headings(text):
        if joined and _belongs(text, joined[-1], unit):
            joined[-1] = replace(joined[-1], end=unit.end)
        else:
            joined.append(unit)
    return joined


def label(text: str, start: int) -> str:
    """The speaker or field that begins the line in which `start` lies, or nothing."""
    found = LABEL.match(text, text.rfind("\n", 0, start) + 1)
    return found.group() if found else ""


def _below_headings(text: str) -> Iterator[Quotable]:
    heading = head_row = ""
    for begin, end in sentences(text):
        found = HEADINGS.match(text, begin, end)
        start, heading = (found.end(), found.group()) if found else (begin, heading)
        row = ROW.fullmatch(text, start, end)
        above = f"{heading} {head_row}" if row else heading
        head_row = (head_row or text[start:end]) if row else ""
        if any(map(str.isalnum, text[start:end])):
            yield Quotable(start, end, above)


def _belongs(text: str, before: Quotable, after: Quotable) -> bool:
    both = text[before.start : after.end]
    if "\n" not in both:
        return bool(label(text, before.start)) and count_words(both) <= LABELLED_LINE
    leads_in = both.split("\n", 1)[0].rstrip().endswith((":", "："))
    return leads_in and _is_item(text, after.start) and count_words(both) <= LIST


def _is_item(text: str, start: int) -> bool:
    return ITEM.match(text, text.rfind("\n", 0, start) + 1) is not None

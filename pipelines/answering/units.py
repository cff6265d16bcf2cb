"""The pieces of a passage that may be quoted: sentences, short labelled lines, and lists with the line that leads in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.text.sentences import sentences

Span = tuple[int, int]

LABEL = re.compile(r"[^\W\d_][\w .'&-]{0,30}[:：]\s")
"""A speaker or a field's name at the beginning of a line."""
ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,2}[.)])\s")
NO_SPACE_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
LABELLED_LINE = 25
LIST = 45
"""Most words of a labelled line and of a list that stay together."""


def count_words(text: str) -> int:
    """Words between blanks; two characters of a script without blanks count as one."""
    words = len(text.split())
    return words if text.isascii() else max(words, len(NO_SPACE_SCRIPT.findall(text)) // 2)


def units(text: str) -> list[Span]:
    """Where the units of a passage's text begin and end, in order."""
    joined: list[Span] = []
    for start, end in _spoken(text, sentences(text)):
        if joined and _belongs(text, joined[-1], (start, end)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def label(text: str, start: int) -> str:
    """The speaker or field that begins the line in which `start` lies, or nothing."""
    found = LABEL.match(text, text.rfind("\n", 0, start) + 1)
    return found.group() if found else ""


def _spoken(text: str, spans: Iterable[Span]) -> list[Span]:
    """Only what has a letter or a digit: no rules, no fences."""
    return [span for span in spans if any(character.isalnum() for character in text[slice(*span)])]


def _belongs(text: str, before: Span, after: Span) -> bool:
    both = text[before[0] : after[1]]
    if "\n" not in both:
        return bool(label(text, before[0])) and count_words(both) <= LABELLED_LINE
    leads_in = both.split("\n", 1)[0].rstrip().endswith((":", "："))
    return leads_in and _is_item(text, after[0]) and count_words(both) <= LIST


def _is_item(text: str, start: int) -> bool:
    return ITEM.match(text, text.rfind("\n", 0, start) + 1) is not None

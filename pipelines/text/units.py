"""What a document is made of before it is packed into passages: sentences, headings, code blocks, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.text.sentences import Span, sentences

BLOCK = re.compile(
    r"""^(?P<fence>```+|~~~+)[^\n]*\n"""
    r"""|^(?P<level>\#{1,6})[ \t]+(?P<heading>[^\n]{1,300})$"""
    r"""|^(?P<underlined>[^\s|>\-][^\n]{0,200})\n(?P<line>={3,}|-{3,})[ \t]*$"""
    r"""|^\|[^\n]*(?:\n\|[^\n]*)+""",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A span that is not cut if it fits into a passage; `joint` ones are cut between lines otherwise."""

    start: int
    end: int
    headings: tuple[str, ...]
    is_heading: bool = False
    joint: bool = False


def units(text: str) -> Iterator[Unit]:
    """In order; what lies between them is white space. Headings come with their own path."""
    path: tuple[tuple[int, str], ...] = ()
    at = 0
    while match := BLOCK.search(text, at):
        names = tuple(name for _, name in path)
        yield from _prose(text, at, match.start(), names)
        heading = match["heading"] or match["underlined"]
        if heading:
            level = len(match["level"]) if match["level"] else 1 + (match["line"][0] == "-")
            path = (*(one for one in path if one[0] < level), (level, heading.strip().rstrip("#").strip()))
            yield Unit(match.start(), match.end(), tuple(name for _, name in path), is_heading=True)
            at = match.end()
        else:
            at = _end_of_fence(text, match) if match["fence"] else match.end()
            yield Unit(match.start(), _trimmed(text, match.start(), at), names, joint=True)
    yield from _prose(text, at, len(text), tuple(name for _, name in path))


def _prose(text: str, start: int, end: int, headings: tuple[str, ...]) -> Iterator[Unit]:
    for first, last in sentences(text[start:end]):
        yield Unit(start + first, start + last, headings)


def _end_of_fence(text: str, opening: re.Match[str]) -> int:
    closing = text.find("\n" + opening["fence"], opening.end() - 1)
    if closing < 0:  # never closed: the rest is code
        return len(text)
    line_end = text.find("\n", closing + 1)
    return len(text) if line_end < 0 else line_end


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def lines(text: str, unit: Unit) -> Iterator[Span]:
    """The unit's lines that are not blank."""
    start = unit.start
    while start < unit.end:
        end = text.find("\n", start, unit.end)
        end = unit.end if end < 0 else end
        if text[start:end].strip():
            yield start, end
        start = end + 1

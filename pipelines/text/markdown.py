"""The blocks of a Markdown text: headings, fenced code, tables, and the text between them. Any text is Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    TEXT = "text"
    HEADING = "heading"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """`text[start:end]`; a heading has its level, 1 to 6, and its words."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""


SPECIAL = re.compile(
    r"""^[ ]{0,3}(?:
        (?P<marks>\#{1,6})[ \t]++(?P<atx>[^\n]+)
      | (?P<fence>`{3,16}+|~{3,16}+)[^\n`]*+$
      | (?P<table>\|[^\n]*+(?:\n[ \t]*+\|[^\n]*+)++)
      | (?P<underline>={3,}+|-{3,}+)[ \t]*+$
    )""",
    re.MULTILINE | re.VERBOSE,
)
LONGEST_TITLE = 120
NO_TITLE = re.compile(r"\s*(?:[-*+>|#=]|\d+[.)]\s)")


def blocks(text: str) -> Iterator[Block]:
    """The blocks in order, without a gap; a rule (`---`) ends the text before it."""
    at = 0
    while match := SPECIAL.search(text, at):
        block = _special(text, match, at)
        if block.start > at:
            yield Block(Kind.TEXT, at, block.start)
        yield block
        at = block.end
    if at < len(text):
        yield Block(Kind.TEXT, at, len(text))


def _special(text: str, match: re.Match[str], at: int) -> Block:
    start, end = match.span()
    if match["marks"]:
        return Block(Kind.HEADING, start, end, len(match["marks"]), _plain(match["atx"]))
    if match["fence"]:
        return Block(Kind.CODE, start, _end_of_code(text, match["fence"], end))
    if match["table"]:
        return Block(Kind.TABLE, start, end)
    line = _line_alone(text, at, start)
    if line is None:
        return Block(Kind.TEXT, start, end)
    level = 1 if match["underline"].startswith("=") else 2
    return Block(Kind.HEADING, line, end, level, _plain(text[line:start]))


def _plain(title: str) -> str:
    """A heading's words without closing marks and emphasis."""
    return " ".join(title.strip().rstrip("#").replace("**", "").replace("`", "").split())


def _end_of_code(text: str, fence: str, at: int) -> int:
    """Where the closing fence ends, at least as long as the opening one; the end of the text if it is never closed."""
    closing = re.compile(rf"^ {{0,3}}{fence}{fence[0]}*+[ \t]*$", re.MULTILINE).search(text, at)
    return closing.end() if closing else len(text)


def _line_alone(text: str, at: int, underline: int) -> int | None:
    """Where the line above an underline begins, if it is a heading: short, and nothing but white space above it."""
    start = max(at, text.rfind("\n", at, max(at, underline - 1)) + 1)
    title = text[start:underline].strip()
    above = text[max(at, text.rfind("\n", at, max(at, start - 1))) : start]
    alone = not above.strip() and 0 < len(title) <= LONGEST_TITLE and not NO_TITLE.match(title)
    return start if alone else None

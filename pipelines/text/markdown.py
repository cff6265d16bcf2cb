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
      | (?P<underline>={2,}+|-{2,}+)[ \t]*+$
    )""",
    re.MULTILINE | re.VERBOSE,
)
LONGEST_TITLE = 120
NO_TITLE = re.compile(r"\s*(?:[-*+>|#=]|\d+[.)]\s)")


def blocks(text: str) -> Iterator[Block]:
    """The blocks in order; what lies between two of them is white space."""
    at = 0
    while match := SPECIAL.search(text, at):
        block = _block(text, match, at)
        if block is None:
            yield Block(Kind.TEXT, at, match.end())
            at = match.end()
            continue
        if block.start > at:
            yield Block(Kind.TEXT, at, block.start)
        yield block
        at = block.end
    yield Block(Kind.TEXT, at, len(text))

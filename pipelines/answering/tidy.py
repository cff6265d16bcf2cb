"""How a quoted piece of a document looks in an answer; citations keep the original."""

from __future__ import annotations

import re
from functools import lru_cache

MARKER = re.compile(r"\s?[\[【]\s*\d+(?:\s*[-–,;，、]\s*\d+)*\s*[\]】]")
"""What a reader, or a client, would take for a citation."""
LINE_NOISE = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+•]\s+|\|\s*)+|\s*\|\s*$|^\s*`{3,}.*$", re.MULTILINE)
EMPHASIS = re.compile(r"(\*\*|`)(?=\S)(.+?)(?<=\S)\1")
LINK = re.compile(r"!?\[([^\]\n]+)\]\((?:[^()\s]|\([^()\s]*\))+\)")


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """The text on one line, without Markdown's signs and without bracketed numbers that would pass for markers."""
    text = LINK.sub(r"\1", LINE_NOISE.sub("", text))
    text = EMPHASIS.sub(r"\2", text)
    return " ".join(without_markers(text).split())


def without_markers(text: str) -> str:
    """Removing one can leave another behind, as in `[[1]2]`."""
    while (cleaned := MARKER.sub("", text)) != text:
        text = cleaned
    return text

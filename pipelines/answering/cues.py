"""Signs in a question that any evidence for an answer has to bear too: negations, names, numbers."""

from __future__ import annotations

import re
from itertools import pairwise

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|cannot|neither|nor|least|unable|fail(?:s|ed)?|lacks?|except)\b|n['’]t\b"
    r"|\b(?:nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|aucune?|nunca|sin|ningun[oa]?|ningún)\b"
    r"|[不没無]|ない|ません|(?<!\w)(?:لا|ليس|لم)(?!\w)",
    re.IGNORECASE,
)
NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-ZÀ-Þ][\w'’-]*|\b[A-Z]{2,}\w*")
"""A capital inside a sentence."""
WORD = re.compile(r"\w+(?:[.,-]\w+)*")
NUMBERED = re.compile(
    r"\b([A-ZÀ-Þ][\w-]*|[Aa]rticle|[Vv]ersion|[Cc]hapter|[Pp]age|[Ss]tep|[Ss]ection) "
    r"((?:[A-Z]+-?)?\d[\w.-]*)"
)
"""A name with the number that tells which one is meant: Boreal 120, version 7.0."""


def has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def numbered_names(question: str) -> frozenset[tuple[str, str]]:
    """The numbered names of a question, as neighbouring words in small letters."""
    return frozenset((name.lower(), number.rstrip(".-").lower()) for name, number in NUMBERED.findall(question))


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """All neighbouring words of a text, in small letters."""
    words = [word.lower() for word in WORD.findall(text)]
    return frozenset(pairwise(words))

"""Splitting without a model. A wrong split hurts an ordinary question, so what is not clear stays whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.decomposition.clauses import clauses
from pipelines.decomposition.comparisons import compared
from pipelines.decomposition.words import ALL

MOST = 4
"""Parts; what is more stays together in the last."""
LONGEST = 500
"""Characters of a question that is looked at closely."""
GATE = re.compile(
    r"\b(?:and|und|et|y|or|oder|compare|compared|versus|vs|than|vergleich\w*|compar\w+)\b|[?？].*[?？]",
    re.IGNORECASE | re.DOTALL,
)
"""Few questions without one of these ask for several things."""


def looks_multi_part(question: str) -> bool:
    """Whether it may ask for several things: a quick look that lets many pass."""
    return GATE.search(question) is not None


def split(question: str) -> tuple[str, ...]:
    """What is to be searched apart, at most four parts that stand on their own; the question itself where it is one."""
    if len(question) > LONGEST or not looks_multi_part(question):
        return (question,)
    for words in ALL:
        for parts in (compared(question, words), clauses(question, words)):
            if len(parts) > 1:
                return _at_most(parts)
    return (question,)


def _at_most(parts: Sequence[str]) -> tuple[str, ...]:
    return (*parts[: MOST - 1], "; ".join(parts[MOST - 1 :])) if len(parts) > MOST else tuple(parts)

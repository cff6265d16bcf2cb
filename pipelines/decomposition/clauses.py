"""Several questions in a row: one behind another, or joined by "and"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pipelines.decomposition.words import AUXILIARY, Words
from pipelines.text.tokens import index_tokens

SENTENCE = re.compile(r"[^?？]+[?？]+\s*")
NAME = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w-]+(?: (?:[A-ZÀ-Þ]?\d[\w.]*|[A-ZÀ-Þ][\w-]*))*")
INVERTED = rf"(?:\w+ )?(?:wh\w+|how)(?: [\w'’-]+){{0,3}}? (?:{AUXILIARY}) (?:i|you|we|they|it|the|an?|my|our|this)\b"
"""An English question of its own: its verb comes before its subject."""
ENOUGH = 2
"""Search tokens with which a question stands on its own."""


def clauses(question: str, words: Words) -> list[str]:
    """The questions that it joins, the first one's subject added to those that speak of it; nothing where it is one."""
    rows = SENTENCE.findall(question)
    if "".join(rows) != question:
        rows = [question]
    joined = [_joined(_bare(row, words), words) for row in rows]
    parts = [part for row in joined for part in row]
    if len(parts) < 2 or not all(_begins(part, words) for part in parts):
        return []
    if len(joined[0]) > 1 and not _is_rich(parts[0], words):
        return []  # what it lacks may follow behind "and"
    if not all(_matches(words.further, part) or _matches(words.verb_first, part) for part in parts[1:]):
        return []
    return _with_subject(parts, words)


def _bare(row: str, words: Words) -> str:
    """A sentence without its marks and without the "and" it begins with."""
    text = row.strip(" ?？¿!.\n\t")
    begins = _compiled(rf"{words.joins},? ").match(text)
    return text[begins.end() :].lstrip("¿") if begins else text


def _joined(text: str, words: Words) -> list[str]:
    """What "and" joins, and the commas of a row before it; whole where a clause hangs on what it stands in."""
    ands = list(_compiled(rf",? {words.joins},? ¿?(?={words.further})").finditer(text))
    if not ands:
        return [text]
    commas = _compiled(rf", (?={words.asks} )").finditer(text, 0, ands[0].start())
    cuts = sorted([*ands, *commas], key=lambda cut: cut.start())
    edges = [0, *(edge for cut in cuts for edge in cut.span()), len(text)]
    parts = [text[start:end].strip(" ,¿?") for start, end in zip(edges[::2], edges[1::2], strict=True)]
    is_own = words.language == "en" and _matches(INVERTED, parts[-1])
    hangs = not is_own and any(_is_embedding(part, words) for part in parts[:-1])
    return [text] if hangs or any(len(part.split()) < 3 for part in parts) else parts


def _is_embedding(part: str, words: Words) -> bool:
    """Whether a clause with a question word stands inside: what follows "and" may then belong to it."""
    begins = _compiled(words.asks).match(part)
    return _compiled(rf"\b{words.asks}").search(part, begins.end() if begins else 0) is not None


def _begins(part: str, words: Words) -> bool:
    return _matches(words.asks, part) or _matches(words.verb_first, part)


def _is_rich(part: str, words: Words) -> bool:
    return len(set(index_tokens(part, words.language))) >= ENOUGH


def _with_subject(parts: Sequence[str], words: Words) -> list[str]:
    """Empty where a later part hangs on the first one and it is not clear on what of it."""
    subject = _subject(parts[0], words)
    whole = [parts[0]]
    for part in parts[1:]:
        hangs = words.pronoun.search(part) is not None or not _is_rich(part, words)
        if hangs and not subject:
            return []
        whole.append(f"{part} ({subject})" if hangs else part)
    return whole


def _subject(first: str, words: Words) -> str:
    """What a question is about: what follows "what is", else the names in it."""
    copula = _compiled(words.copula).match(first)
    if copula and not _compiled(rf"(?:{words.prepositions}) ").match(first, copula.end()):
        return first[copula.end() :]
    return " ".join(NAME.findall(first))


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).match(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)

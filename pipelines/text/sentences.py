"""Sentences as character spans, in linear time, for any script: the splitter packs them, answers quote them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.text.abbreviations import BEFORE_NUMBERS, CUT_SHORT, ORDINAL_OF, STARTERS

Span = tuple[int, int]

BOUNDARY = re.compile(
    r"""(?P<stop>[.!?…؟۔।॥։።]) (?P<closers>["'”’»)\]*_]{0,4} (?:\[\d{1,3}\]){0,4}) (?=\s)
      | [。！？｡．]++ [」』”’）】"')]{0,4}
      | [!?] (?=[\u3040-\u30ff\u3400-\u9fff])
      | (?P<line> \n\s*+ )""",
    re.VERBOSE,
)
NEXT_WORD = re.compile(r"\s*+[\"'“„«(\[*_¿¡]{0,4}([^\s.,;:!?)]{0,16})")
OPENERS = "\"'“„«([*_"
LOOK_BACK = 24
SHORT = 3
"""Letters up to which a word with a full stop, before a small letter, is taken for an abbreviation."""

BLOCK_BEGINS = re.compile(r"[-*+•–—>|#=~`<\[\d]|\(?\w{1,3}[.):]\s|[^\W\d_][\w .'&-]{0,30}[:：]\s|https?:")
"""List items, quotes, tables, headings, markup, speakers and fields."""
BLOCK_ENDS = frozenset(":;|：；")
WRAPPED = 40
"""Least length of a line that was wrapped, where the next one begins with a small letter."""
FULL = 70
"""Length that a line and the next one's first word must exceed together, where that begins with a capital."""
WIDEST = 120


def sentences(text: str) -> list[Span]:
    """Spans (start, end) in order, trimmed; between them is nothing but white space."""
    spans = []
    for start, end in _pieces(text):
        piece = text[start:end]
        words = piece.strip()
        if words:
            begin = start + len(piece) - len(piece.lstrip())
            spans.append((begin, begin + len(words)))
    return spans


def _pieces(text: str) -> Iterator[Span]:
    start = line = 0
    for match in BOUNDARY.finditer(text):
        end = match.end()
        if match["line"]:
            ends = not _goes_on(text, line, match)
            line = end
        else:
            ends = not match["stop"] or _is_end(text, match, line)
        if ends:
            yield start, end
            start = end
    yield start, len(text)


def _goes_on(text: str, line: int, newline: re.Match[str]) -> bool:
    """Whether the line that begins at `line` was only wrapped, so that its sentence goes on after the newline."""
    end, following = newline.span()
    length = end - line
    if not WRAPPED <= length <= WIDEST or "\n" in newline["line"][1:] or following == len(text):
        return False
    if text[end - 1] in BLOCK_ENDS or text[line] in "#|" or BLOCK_BEGINS.match(text, following):
        return False
    first = text[following]
    return first.islower() or (first.isupper() and length + len(_next_word(text, end)) >= FULL)


def _is_end(text: str, match: re.Match[str], line: int) -> bool:
    stop, end = match["stop"], match.end()
    following = _next_word(text, end)
    goes_on = following[:1].islower() and text[end] != "\n"
    if goes_on and (match["closers"] or stop == "…"):
        return False
    if stop != ".":
        return True
    before = text[max(line, match.start() - LOOK_BACK) : match.start()].split()
    if not before:
        return True
    word = before[-1].lstrip(OPENERS)
    is_marker = len(before) == 1 and match.start() - line < LOOK_BACK and word.isdigit() and len(word) <= 3
    return not is_marker and not _is_cut_short(word, following, goes_on=goes_on)


def _is_cut_short(word: str, following: str, *, goes_on: bool) -> bool:
    """Whether the full stop behind the word belongs to it: an abbreviation, an initial, an ordinal number."""
    lower = word.lower()
    if lower in CUT_SHORT or (following[:1].isdigit() and lower in BEFORE_NUMBERS):
        return True
    if word.isdigit():
        return len(word) <= 2 and (goes_on or following.lower().startswith(ORDINAL_OF))
    if "." in word or (len(word) == 1 and word.isalpha()):
        return following.lower() not in STARTERS or goes_on
    return goes_on and len(word) <= SHORT and word.isalpha()


def _next_word(text: str, at: int) -> str:
    found = NEXT_WORD.match(text, at)
    return found[1] if found else ""

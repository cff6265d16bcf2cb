"""The passages of a text as a pure function: atoms of its blocks, packed, with the headings they stand under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.text.atoms import Atomizer
from pipelines.text.context import Headings, common, context_of, section_paths
from pipelines.text.counting import Counter
from pipelines.text.markdown import blocks
from pipelines.text.packing import Atom, Sizes, pack

SPECIAL_TOKENS = 2
"""What encoders add to each input."""


@dataclass(frozen=True, slots=True)
class Span:
    """A passage: `text[start:end]`, and the headings that all of it stands under."""

    start: int
    end: int
    headings: Headings = ()


def split(
    text: str, *, title: str = "", count_tokens: Counter, window: int, target_tokens: int, overlap: int = 0
) -> list[Span]:
    """Passages in order that together hold all of the text but white space between them.

    A passage with its context and special tokens is within the window, as far as `count_tokens` adds up over words.
    """
    found = list(blocks(text))
    paths = section_paths(found)
    context = max(count_tokens(context_of(title, path, count_tokens, window)) for path in set(paths))
    limit = max(1, window - SPECIAL_TOKENS - context)
    sizes = Sizes(min(target_tokens, limit), limit)
    atoms = Atomizer(text, count_tokens, sizes).atoms(found)
    spans = []
    for begin, end in pack(atoms, sizes):
        headings = common([paths[atom.section] for atom in atoms[begin:end]])
        first = _overlapping(atoms, begin, end, overlap, limit)
        spans.append(Span(atoms[first].start, atoms[end - 1].end, headings))
    return spans


def _overlapping(atoms: Sequence[Atom], begin: int, end: int, overlap: int, limit: int) -> int:
    """Up to so many atoms further back, in the same section and within the limit."""
    tokens = sum(atom.tokens for atom in atoms[begin:end])
    for first in range(begin - 1, max(-1, begin - 1 - overlap), -1):
        tokens += atoms[first].tokens
        if tokens > limit or atoms[first].section != atoms[begin].section:
            return first + 1
    return max(0, begin - overlap)

"""Atoms (sentences, table rows, lines of code) packed into passages near a target size: the cheapest cut of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_ATOMS = 48
"""In a passage: headings without text would make more."""


@dataclass(frozen=True, slots=True)
class Atom:
    """`text[start:end]`, never cut; `cut` is what it costs to begin a passage with it: a twice too long one costs 1."""

    start: int
    end: int
    tokens: int
    cut: float
    section: int
    """Number of the section it stands in; a heading stands in the section that it begins."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of a passage's text: wished for, and at most; and what taking a further section into it costs."""

    target: int
    limit: int
    crossing: float = 0.3


def pack(atoms: Sequence[Atom], sizes: Sizes) -> list[tuple[int, int]]:
    """Ranges of atoms, in order and without gaps, each within the limit unless one atom alone is over it.

    The sum over passages of ((tokens - target) / target)², of the cuts and of the crossings is the least possible.
    """
    best = [0.0]
    begins = [0]
    for end in range(1, len(atoms) + 1):
        cost, begin = _best_begin(atoms, sizes, best, end)
        best.append(cost)
        begins.append(begin)
    return _ranges(begins)


def _best_begin(atoms: Sequence[Atom], sizes: Sizes, best: Sequence[float], end: int) -> tuple[float, int]:
    least, chosen = float("inf"), end - 1
    tokens, crossings, section = 0, 0.0, atoms[end - 1].section
    for begin in range(end - 1, max(-1, end - 1 - MOST_ATOMS), -1):
        atom = atoms[begin]
        tokens += atom.tokens
        if tokens > sizes.limit and begin < end - 1:
            break
        if atom.section != section:
            section = atom.section
            crossings += sizes.crossing
        cost = best[begin] + atom.cut + crossings + (tokens / sizes.target - 1) ** 2
        if cost < least:
            least, chosen = cost, begin
    return least, chosen


def _ranges(begins: Sequence[int]) -> list[tuple[int, int]]:
    ranges = []
    end = len(begins) - 1
    while end > 0:
        ranges.append((begins[end], end))
        end = begins[end]
    return ranges[::-1]

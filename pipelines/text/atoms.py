"""What a passage is made of and what it costs to begin one there: sentences, table rows, lines of code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from pipelines.text.counting import Counter
from pipelines.text.cutting import Span, even_pieces, trimmed
from pipelines.text.markdown import Block, Kind
from pipelines.text.packing import Atom, Sizes
from pipelines.text.sentences import sentences

AT_HEADING, AT_PARAGRAPH, AT_LINE, AT_SENTENCE, WITHIN_SENTENCE = 0.0, 0.1, 0.15, 0.3, 0.6
BEHIND_LEAD_IN = 0.5
NEVER = 4.0
"""Dearer than any size within the limit: right behind a heading, within a table or code that fits a passage."""
CHARACTERS_A_TOKEN = 8
"""No text is so thin: what is longer is over the limit and cut before it is counted."""
GRAIN = 16
"""Atoms of less than this part of a target are joined: packing takes as long as there are many of them."""


@dataclass(frozen=True, slots=True)
class Atomizer:
    """Makes the atoms of one text."""

    text: str
    count_tokens: Counter
    sizes: Sizes

    def atoms(self, blocks: Iterable[Block]) -> list[Atom]:
        """In order; together they hold all of the text but white space."""
        atoms: list[Atom] = []
        for atom in self._of_blocks(blocks):
            atoms.append(_joined(atoms.pop(), atom) if atoms and self._are_one(atoms[-1], atom) else atom)
        return atoms

    def _are_one(self, before: Atom, after: Atom) -> bool:
        small = before.tokens + after.tokens <= self.sizes.target // GRAIN
        return small and before.section == after.section

    def _of_blocks(self, blocks: Iterable[Block]) -> Iterator[Atom]:
        section, at, is_heading = 0, 0, False
        for block in blocks:
            section += block.kind is Kind.HEADING
            inner = self._cut_within(block)
            for number, (start, end) in enumerate(self._pieces(block)):
                cut = NEVER if is_heading else inner if number and inner else self._cut_between(at, start)
                yield from self._fitting(start, end, AT_HEADING if block.kind is Kind.HEADING else cut, section)
                at, is_heading = end, block.kind is Kind.HEADING

    def _pieces(self, block: Block) -> Iterator[Span]:
        if block.kind is Kind.HEADING:
            yield trimmed(self.text, block.start, block.end)
        elif block.kind is Kind.TEXT:
            for start, end in sentences(self.text[block.start : block.end]):
                yield block.start + start, block.start + end
        else:
            yield from self._lines(block)

    def _lines(self, block: Block) -> Iterator[Span]:
        at = block.start
        for line in self.text[block.start : block.end].splitlines(keepends=True):
            start, end = trimmed(self.text, at, at + len(line))
            if start < end:
                yield start, end
            at += len(line)

    def _cut_within(self, block: Block) -> float:
        """What it costs to cut between the lines of a block; 0 where that depends on the text between."""
        if block.kind is Kind.TEXT:
            return 0.0
        return NEVER if self._fits(block) else AT_LINE

    def _cut_between(self, end: int, start: int) -> float:
        newlines = self.text.count("\n", end, start)
        if newlines and self.text[end - 1] in ":：":
            return BEHIND_LEAD_IN
        return AT_PARAGRAPH if newlines > 1 else AT_LINE if newlines else AT_SENTENCE

    def _fitting(self, start: int, end: int, cut: float, section: int) -> Iterator[Atom]:
        for begin, stop, tokens in self._within_limit(start, end):
            yield Atom(begin, stop, tokens, cut, section)
            cut = WITHIN_SENTENCE

    def _within_limit(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The span in as many pieces as it takes; a piece of one character is taken as it is."""
        length, longest = end - start, self.sizes.limit * CHARACTERS_A_TOKEN
        tokens = self.count_tokens(self.text[start:end]) if length <= longest else 0
        if length <= longest and (tokens <= self.sizes.limit or length == 1):
            yield start, end, tokens
            return
        number = max(ceil(tokens / self.sizes.target), ceil(length / longest))
        for piece in even_pieces(self.text, start, end, min(length, number)):
            yield from self._within_limit(*piece)

    def _fits(self, block: Block) -> bool:
        length = block.end - block.start
        most = self.sizes.limit
        return length <= most * CHARACTERS_A_TOKEN and self.count_tokens(self.text[block.start : block.end]) <= most


def _joined(before: Atom, after: Atom) -> Atom:
    return Atom(before.start, after.end, before.tokens + after.tokens, before.cut, before.section)

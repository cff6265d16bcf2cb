"""Splits documents into passages: whole sentences, code blocks and tables, packed up to a number of the model's tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from pipelines.embedding.base import Embedding
from pipelines.text.sentences import soft_cut
from pipelines.text.tokens import UNSPACED
from pipelines.text.units import Unit, lines, units

TARGET = 160
"""Tokens of a passage; see docs/measurements.md, "Chunk size"."""
SPECIAL = 2
"""Tokens that a model puts around a text."""
LEAST = 0.3
"""Share of the target from which on a heading begins a new passage."""
CONTEXT = 0.2
"""Share of the window that title and headings may take."""
WORD = re.compile(rf"[^\W_{UNSPACED}]+|[^\w\s]|[_{UNSPACED}]")
LONG_WORD = 32
LETTERS = 4
"""Of a long word, for a token at least: a model knows one token for any unknown word, a reader does not."""
SEPARATOR = " › "

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of `text[start:end]` under these headings."""

    start: int
    end: int
    headings: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    """The passage that is being packed."""

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...]


def word_counter(count: Count) -> Count:
    """Tokens of a text as the sum of its words', each asked of the tokenizer once: many times quicker."""
    of_word = lru_cache(maxsize=200_000)(count)

    def total(text: str) -> int:
        return sum(of_word(word) if len(word) <= LONG_WORD else of_long(word) for word in WORD.findall(text))

    def of_long(word: str) -> int:
        return max(count(word), len(word) // LETTERS)

    return total


def split(text: str, *, limit: int, count: Count) -> list[Span]:
    """Every character that is not white space is in exactly one passage; none has more than `limit` tokens."""
    packed: list[_Open] = []
    for unit in _fitting(text, limit, count):
        tokens = count(text[unit.start : unit.end])
        last = packed[-1] if packed else None
        if last and last.tokens + tokens <= limit and not _begins(unit, last, limit):
            last.end, last.tokens = unit.end, last.tokens + tokens
        else:
            packed.append(_Open(unit.start, unit.end, tokens, unit.headings))
    return [Span(one.start, one.end, one.headings) for one in packed]


def _begins(unit: Unit, last: _Open, limit: int) -> bool:
    """Whether a new section ends the passage before it, which is done unless that is very short."""
    return unit.is_heading and last.tokens >= LEAST * limit


def _fitting(text: str, limit: int, count: Count) -> Iterator[Unit]:
    """Units that fit; a heading is joined with what it stands over."""
    heading: Unit | None = None
    for unit in units(text):
        if unit.is_heading:
            if heading:
                yield heading
            heading = unit
            continue
        pieces = list(_cut(text, unit, limit, count))
        if heading:
            joined = Unit(heading.start, pieces[0].end, heading.headings, is_heading=True)
            fits = count(text[joined.start : joined.end]) <= limit
            pieces = [joined, *pieces[1:]] if fits else [*_cut(text, heading, limit, count), *pieces]
            heading = None
        yield from pieces
    if heading:
        yield from _cut(text, heading, limit, count)


def _cut(text: str, unit: Unit, limit: int, count: Count) -> Iterator[Unit]:
    """The unit, or pieces of it that fit: its lines, and of a line that is too long what does."""
    if count(text[unit.start : unit.end]) <= limit:
        yield unit
    elif unit.joint:
        for start, end in lines(text, unit):
            yield from _cut(text, Unit(start, end, unit.headings), limit, count)
    else:
        start = unit.start
        while start < unit.end:
            end = _longest(text, start, unit.end, limit, count)
            yield Unit(start, end, unit.headings, unit.is_heading and start == unit.start)
            start = end
            while start < unit.end and text[start].isspace():
                start += 1


def _longest(text: str, start: int, end: int, limit: int, count: Count) -> int:
    """A cut behind `start` up to which the text fits: shortened in proportion until it does."""
    cut = min(end, start + 8 * limit)
    while cut - start > 1 and (tokens := count(text[start:cut])) > limit:
        shorter = start + max(1, min((cut - start) * limit // tokens, cut - start - 1))
        cut = soft_cut(text, start, shorter)
    return cut


class PassageSplitter(NodeParser):
    """The library's splitter as a LlamaIndex node parser.

    A node's text is a slice of the document, with its true offsets; `metadata["context"]` is title and headings, which
    are embedded and searched with the text but are no part of it.
    """

    target: int = TARGET
    window: int = 256
    _count: Count = PrivateAttr()

    def __init__(self, count_tokens: Count, *, target: int = TARGET, window: int = 256, **options: Any) -> None:
        super().__init__(target=target, window=window, **options)
        self._count = word_counter(count_tokens)

    @classmethod
    def for_model(cls, model: Embedding, target: int = TARGET) -> Self:
        """Passages that the model sees whole."""
        return cls(model.count_tokens, target=target, window=model.window)

    @classmethod
    def class_name(cls) -> str:
        return "PassageSplitter"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        return [passage for node in nodes for passage in self._passages(node)]

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: Any) -> list[BaseNode]:
        # LlamaIndex would look for each node's text in the document, and find an earlier copy of it in repetitive text.
        return nodes

    def _passages(self, document: BaseNode) -> Iterator[TextNode]:
        text, title = document.get_content(), str(document.metadata.get("title", ""))
        room = int(self.window * CONTEXT)
        limit = min(self.target, self.window - SPECIAL - room)
        source = document.as_related_node_info()
        for span in split(text, limit=limit, count=self._count):
            yield TextNode(
                text=text[span.start : span.end],
                start_char_idx=span.start,
                end_char_idx=span.end,
                metadata={"context": self._context(title, span.headings, room)},
                relationships={NodeRelationship.SOURCE: source},
                metadata_template="{value}",
                text_template="{metadata_str}\n{content}",
            )

    def _context(self, title: str, headings: tuple[str, ...], room: int) -> str:
        """Title and headings, the innermost kept when not all have room."""
        names = [name for name in dict.fromkeys((title, *headings)) if name]
        while len(names) > 1 and self._count(SEPARATOR.join(names)) > room:
            del names[1 if len(names) > 2 else 0]
        context = SEPARATOR.join(names)
        return context[: _longest(context, 0, len(context), room, self._count)] if context else ""

"""Answering without a model: the few sentences that most probably hold the answer, verbatim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pipelines.answering.claims import Claim
from pipelines.answering.excerpt import excerpt
from pipelines.answering.reading import Reading, Unit, jaccard
from pipelines.answering.scoring import probabilities
from pipelines.answering.tidy import tidy
from pipelines.answering.units import count_words

WORDS = 57
"""Of an answer in all; with its markers it stays within 60."""
SENTENCES = 4
CANDIDATES = 8
WORTH = 0.02
"""Least probability of holding the answer that a sentence must add."""
REDUNDANT = 0.7
"""Jaccard similarity of two units' tokens from which the second says nothing new."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A unit that may be chosen: its text as it would be shown, and its probability of holding the answer."""

    unit: Unit
    text: str
    words: int
    probability: float

    @property
    def passage_id(self) -> int:
        return self.unit.passage.hit.passage.id


def extract(reading: Reading, *, max_citations: int) -> list[Claim]:
    """The answer's sentences, the one that most probably answers first; nothing where nothing was found."""
    quotes = list(_quotes(reading))
    chosen = _choose(quotes, max_citations)
    return [Claim(quote.text, (quote.unit.passage.hit,)) for quote in _in_order(chosen)]


def _quotes(reading: Reading) -> Iterator[Quote]:
    """The likeliest units, best first, each thing said once."""
    likelihood = probabilities(reading)
    kept: list[Unit] = []
    for place in np.argsort(-likelihood, kind="stable"):
        unit = reading.units[place]
        text = excerpt(tidy(unit.text), _asked(reading), WORDS)
        if text and not any(jaccard(unit.piece.tokens, other.piece.tokens) >= REDUNDANT for other in kept):
            kept.append(unit)
            yield Quote(unit, text, count_words(text), float(likelihood[place]))
        if len(kept) == CANDIDATES:
            return


def _asked(reading: Reading) -> frozenset[str]:
    return frozenset(reading.retrieval.question.text.lower().split())


def _choose(quotes: Sequence[Quote], max_citations: int) -> tuple[Quote, ...]:
    """The set within the limits that has most probability."""
    sets = (
        chosen
        for size in range(1, SENTENCES + 1)
        for chosen in combinations(quotes, size)
        if size == 1 or _fits(chosen, max_citations)
    )
    return max(sets, key=lambda chosen: sum(quote.probability - WORTH for quote in chosen), default=())


def _fits(chosen: Sequence[Quote], max_citations: int) -> bool:
    cited = {quote.passage_id for quote in chosen}
    return len(cited) <= max_citations and sum(quote.words for quote in chosen) <= WORDS


def _in_order(chosen: Sequence[Quote]) -> list[Quote]:
    """The likeliest first, then what else its passage says, then the others; each passage in its own order."""
    passages = [quote.passage_id for quote in chosen]
    rest = sorted(chosen[1:], key=lambda quote: (passages.index(quote.passage_id), quote.unit.piece.start))
    return [*chosen[:1], *rest]

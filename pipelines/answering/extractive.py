"""Answering without a model: the few sentences that most probably hold the answer, verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pipelines.answering.claims import Claim
from pipelines.answering.excerpt import excerpt
from pipelines.answering.quotes import Quote
from pipelines.answering.reading import Reading
from pipelines.answering.tidy import tidy
from pipelines.answering.units import count_words

WORDS = 56
"""Of an answer in all; with its markers it stays about 60."""
SENTENCES = 4
CANDIDATES = 8
WORTH = 0.02
"""Least probability of holding the answer that a further sentence of the same passage must add."""


def extract(reading: Reading, *, max_citations: int) -> list[Claim]:
    """The answer's sentences, the one that most probably answers first; nothing where nothing was found."""
    chosen = _in_order(_choose(_quotes(reading), max_citations))
    spare = max_citations - len({quote.passage_id for quote in chosen})
    claims = []
    for quote in chosen:
        witnesses = quote.witnesses[: max(0, spare)]
        spare -= len(witnesses)
        claims.append(Claim(quote.text, (quote.hit, *witnesses)))
    return claims


def _quotes(reading: Reading) -> list[Quote]:
    """The likeliest units, best first, each thing said once."""
    question = reading.retrieval.question.text
    quotes: list[Quote] = []
    for place in reading.ranking:
        unit = reading.units[place]
        if twin := next((quote for quote in quotes if quote.repeats(unit)), None):
            twin.merge(unit)
        elif text := excerpt(tidy(unit.text), question, WORDS):
            quotes.append(Quote(unit, text, count_words(text), float(reading.probabilities[place])))
        if len(quotes) == CANDIDATES:
            break
    return quotes


def _choose(quotes: Sequence[Quote], max_citations: int) -> tuple[Quote, ...]:
    """The set within the limits that has most probability."""
    sets = (
        chosen
        for size in range(1, SENTENCES + 1)
        for chosen in combinations(quotes, size)
        if size == 1 or sum([quote.words for quote in chosen]) <= WORDS
    )
    return max(sets, key=lambda chosen: _value(chosen, max_citations), default=())


def _value(chosen: Sequence[Quote], max_citations: int) -> float:
    """Its probability of holding the answer, less what it costs to read it."""
    passages = len({quote.passage_id for quote in chosen})
    cost = WORTH * (len(chosen) - passages) if passages <= max_citations else len(chosen)
    return sum([quote.probability for quote in chosen]) - cost


def _in_order(chosen: Sequence[Quote]) -> list[Quote]:
    """The likeliest first, then what else its passage says, then the others; each passage in its own order."""
    passages = [quote.passage_id for quote in chosen]
    rest = sorted(chosen[1:], key=lambda quote: (passages.index(quote.passage_id), quote.unit.piece.start))
    return [*chosen[:1], *rest]

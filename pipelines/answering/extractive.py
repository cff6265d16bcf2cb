"""Answering without a model: the few sentences that most probably hold the answer, verbatim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pipelines.answering.claims import Claim
from pipelines.answering.excerpt import excerpt
from pipelines.answering.quotes import Quote
from pipelines.answering.reading import Reading
from pipelines.answering.tidy import tidy
from pipelines.answering.units import count_words

WORDS = 56
"""Of an answer in all; with its markers it stays about 60."""
FURTHER = 22
"""Words of a quote that is not the likeliest one."""
SENTENCES = 5
CANDIDATES = 9
WORTH = 0.02
"""Least probability of holding the answer that a further sentence of the same passage must add."""
DOCUMENT = 0.3
"""What the probability of a document counts beside that of its sentences: the answer cites it."""


def extract_all(readings: Sequence[Reading], *, max_citations: int, words: int = WORDS) -> list[Claim]:
    """The sentences for each part of a question, in turn, within the same words and citations; none twice."""
    claims: list[Claim] = []
    for at, reading in enumerate(readings):
        left, cited = len(readings) - at, {hit.passage.id for claim in claims for hit in claim.hits}
        spare = (max_citations - len(cited)) // left
        said = {claim.text for claim in claims}
        new = [claim for claim in extract(reading, max_citations=spare, words=words // left) if claim.text not in said]
        words -= sum(count_words(claim.text) for claim in new)
        claims += new
    return claims


def extract(reading: Reading, *, max_citations: int, words: int = WORDS) -> list[Claim]:
    """The answer's sentences, the one that most probably answers first; nothing where nothing was found."""
    chosen = _in_order(_choose(_quotes(reading, words), Selection(reading.documents, max_citations, words)))
    spare = max_citations - len({quote.passage_id for quote in chosen})
    claims = []
    for quote in chosen:
        witnesses = quote.witnesses[: max(0, spare)]
        spare -= len(witnesses)
        claims.append(Claim(quote.text, (quote.hit, *witnesses)))
    return claims


def _quotes(reading: Reading, words: int) -> list[Quote]:
    """The likeliest units, best first, each thing said once; only the first one in full length."""
    question = reading.retrieval.question.text
    quotes: list[Quote] = []
    for place in reading.ranking:
        unit = reading.units[place]
        if twin := next((quote for quote in quotes if quote.repeats(unit)), None):
            twin.merge(unit)
        elif text := excerpt(tidy(unit.text), question, min(FURTHER, words) if quotes else words):
            quotes.append(Quote(unit, text, count_words(text), float(reading.probabilities[place])))
        if len(quotes) == CANDIDATES:
            break
    return quotes


@dataclass(slots=True)
class Selection:
    """Quotes chosen so far; `documents` have their probabilities of being a right one."""

    documents: Mapping[UUID, float]
    max_citations: int
    room: int
    quotes: list[Quote] = field(default_factory=list)

    def add(self, quote: Quote) -> None:
        self.quotes.append(quote)
        self.room -= quote.words

    def fits(self, quote: Quote) -> bool:
        passages = {chosen.passage_id for chosen in self.quotes} | {quote.passage_id}
        return quote.words <= self.room and len(passages) <= self.max_citations

    def gain(self, quote: Quote) -> float:
        """The probability that a further quote adds: of holding the answer, and of citing a right document."""
        if all(chosen.hit.document_id != quote.hit.document_id for chosen in self.quotes):
            return quote.probability + DOCUMENT * self.documents[quote.hit.document_id]
        repeats = any(chosen.passage_id == quote.passage_id for chosen in self.quotes)
        return quote.probability - (WORTH if repeats else 0.0)


def _choose(quotes: Sequence[Quote], selection: Selection) -> list[Quote]:
    """The best one, then, while there is room, what adds most for its words."""
    left = list(quotes)
    best = max(left, key=selection.gain, default=None)
    while best and selection.gain(best) > 0:
        selection.add(best)
        left.remove(best)
        fitting = filter(selection.fits, left) if len(selection.quotes) < SENTENCES else ()
        best = max(fitting, key=lambda quote: selection.gain(quote) / quote.words, default=None)
    return selection.quotes


def _in_order(chosen: Sequence[Quote]) -> list[Quote]:
    """The likeliest first, then what else its passage says, then the others; each passage in its own order."""
    likeliest_first = sorted(chosen, key=lambda quote: -quote.probability)
    passages = [quote.passage_id for quote in likeliest_first]
    rest = sorted(likeliest_first[1:], key=lambda quote: (passages.index(quote.passage_id), quote.unit.piece.start))
    return [*likeliest_first[:1], *rest]

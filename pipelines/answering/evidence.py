"""What speaks for and against an answer being in what was found, in numbers that compare between questions."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.answering.cues import NAME, NEGATION, has_digit, neighbours, numbered_names
from pipelines.answering.passages import ReadPassage
from pipelines.answering.reading import Reading
from pipelines.lexical import BM25_BOUND
from pipelines.text.tokens import index_tokens

LIKELIEST = 4
FIELD = slice(4, 20)
"""Hits, by cosine, out of which the nearest one should stand."""
MANY_TERMS = 12
DILUTED = 15.0
"""Tokens of a unit beside the question's: among so many the question's meet by chance."""
CAPITALISED_NOUNS = frozenset({"de"})
"""Languages in which a capital tells no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Shares and scores of about 0..1; those from `negation` on speak against an answer."""

    cosine: float
    lead: float
    bm25: float
    odds: float
    concentration: float
    pairs: float
    terms: float
    negation: float
    dilution: float
    numbers: float
    numbered_names: float
    names: float

    def vector(self) -> NDArray[np.float64]:
        return np.array(astuple(self), np.float64)


def weigh(reading: Reading) -> Evidence:
    """The evidence of a reading with at least one unit."""
    best = reading.units[reading.ranking[0]]
    terms, passage, question = best.passage.terms, best.passage, reading.retrieval.question.text
    hits = reading.retrieval.hits
    names = _names(question, passage)
    numbers = frozenset(filter(has_digit, terms.weights))
    said = passage.tokens | passage.heading
    return Evidence(
        cosine=max(hit.cosine for hit in hits),
        lead=_lead(sorted((hit.cosine for hit in hits), reverse=True)),
        bm25=max(hit.bm25 for hit in hits) / (BM25_BOUND * terms.total),
        odds=float(reading.odds.max()) / 10,
        concentration=float(np.sort(reading.probabilities)[-LIKELIEST:].sum()),
        pairs=max(unit.piece.count(terms.pairs) for unit in reading.units) / max(1, len(terms.pairs)),
        terms=min(1.0, len(terms.weights) / MANY_TERMS),
        negation=_unanswered_negation(reading),
        dilution=_dilution(reading),
        numbers=len(numbers - said) / max(1, len(numbers)),
        numbered_names=_missing_numbered_names(question, passage),
        names=terms.share(names - said),
    )


def _lead(cosines: list[float]) -> float:
    """By how much the nearest passage is nearer than the field."""
    return cosines[0] - float(np.mean(cosines[FIELD] or cosines[-1:]))


def _names(question: str, passage: ReadPassage) -> Set[str]:
    """The question's terms that are names, numbers aside."""
    if passage.language in CAPITALISED_NOUNS:
        return frozenset()
    tokens = (token for name in NAME.findall(question) for token in index_tokens(name, passage.language))
    return frozenset(token for token in tokens if token in passage.terms.weights and not has_digit(token))


def _dilution(reading: Reading) -> float:
    """How much the likeliest units say beside the question, each counting by its probability."""
    places = list(reading.ranking[:LIKELIEST])
    units = [reading.units[place] for place in places]
    beside = [len(unit.piece.tokens - unit.passage.terms.weights.keys()) for unit in units]
    return float(np.average(np.minimum(1.0, np.array(beside) / DILUTED), weights=reading.probabilities[places]))


def _unanswered_negation(reading: Reading) -> float:
    """Whether the question denies something and none of the likeliest units does."""
    likeliest = (reading.units[place].text for place in reading.ranking[:LIKELIEST])
    return float(bool(NEGATION.search(reading.retrieval.question.text)) and not any(map(NEGATION.search, likeliest)))


def _missing_numbered_names(question: str, passage: ReadPassage) -> float:
    if not (asked := numbered_names(question)):
        return 0.0
    said = passage.hit.passage
    return len(asked - neighbours(f"{said.context}\n{said.text}")) / len(asked)

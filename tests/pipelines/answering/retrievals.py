"""Retrievals made by hand."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

import numpy as np

from pipelines.text.tokens import query_tokens
from pipelines.types import Hit, Passage, Question, Retrieval, Scope

SCOPE = Scope(UUID(int=1))
DAY = date(2026, 1, 1)


def hit(
    text: str, number: int = 1, *, title: str = "Page", score: float = 0.9, cosine: float = 0.6, day: date = DAY
) -> Hit:
    passage = Passage(
        id=number,
        document_id=UUID(int=number),
        position=0,
        start=0,
        end=len(text),
        text=text,
        context=title,
        language="en",
    )
    return Hit(
        passage=passage,
        title=title,
        source="wiki",
        external_id=str(number),
        url=None,
        metadata={},
        day=day,
        score=score,
        cosine=cosine,
        bm25=5.0,
    )


def retrieval(question: str, hits: Sequence[Hit], unknown: Sequence[str] = ()) -> Retrieval:
    weights = {token: 0.0 if token in unknown else 2.0 for token in query_tokens(question, {"en"})}
    asked = Question(text=question, vector=np.zeros(4, np.float32), term_weights=weights)
    return Retrieval(question=asked, scope=SCOPE, hits=tuple(hits), documents_searched=7)

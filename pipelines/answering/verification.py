"""Whether passages support a claim that a model made: by words and numbers, by meaning where these leave it open."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from pipelines.answering.cues import NEGATION
from pipelines.answering.passages import jaccard
from pipelines.answering.pieces import pieces
from pipelines.text.tokens import index_tokens
from pipelines.types import Hit, Vector

Embed = Callable[[str], Awaitable[Vector]]

SUPPORTED, OPEN = 0.75, 0.35
"""Shares of a claim's tokens that a passage has: from the first on it supports it, below the second it does not."""
SAME_MEANING = 0.6
"""Cosine of claim and nearest sentence from which an open case is decided for the claim."""
REPEATS = 0.6
"""Jaccard similarity of tokens from which a claim repeats a sentence."""
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class Verifier:
    """Decides which passages support a claim; `embed` is asked only where words alone do not tell."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    async def supporting(self, claim: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Those of the hits that support the claim, best first; all of them where only together they do."""
        shares = {hit.passage.id: share_of_tokens(claim, [hit]) for hit in hits}
        ranked = sorted(hits, key=lambda hit: -shares[hit.passage.id])
        supporting = [hit for hit in ranked if await self._supports(claim, hit, shares[hit.passage.id])]
        if not supporting and len(hits) > 1 and share_of_tokens(claim, hits) >= SUPPORTED and has_numbers(claim, hits):
            return tuple(hits)
        return tuple(supporting)

    async def _supports(self, claim: str, hit: Hit, share: float) -> bool:
        if share < OPEN or not has_numbers(claim, [hit]) or is_turned_round(claim, hit):
            return False
        return share >= SUPPORTED or await self._means_the_same(claim, hit)

    async def _means_the_same(self, claim: str, hit: Hit) -> bool:
        claimed, said = await self._embed(claim), await self._embed(nearest_sentence(claim, hit))
        return float(claimed @ said) >= SAME_MEANING


def share_of_tokens(claim: str, hits: Sequence[Hit]) -> float:
    """How many of the claim's search tokens the passages with their headings have between them, 0..1."""
    tokens = _tokens(claim, hits[0])
    said = frozenset[str]().union(*(_said(hit) for hit in hits))
    return len(tokens & said) / max(1, len(tokens))


def has_numbers(claim: str, hits: Sequence[Hit]) -> bool:
    """Whether every number of the claim stands in one of the passages: a wrong one outweighs any similarity."""
    said = {number for hit in hits for number in NUMBER.findall(f"{hit.passage.context} {hit.passage.text} {hit.day}")}
    return said.issuperset(NUMBER.findall(claim))


def is_turned_round(claim: str, hit: Hit) -> bool:
    """Whether the claim denies what the nearest sentence says, or repeats a sentence but for its denial."""
    sentence = nearest_sentence(claim, hit)
    denied, denies = (NEGATION.search(text) is not None for text in (sentence, claim))
    return denies != denied and (denies or jaccard(_tokens(claim, hit), _tokens(sentence, hit)) >= REPEATS)


def nearest_sentence(claim: str, hit: Hit) -> str:
    """The piece of the passage that shares most words with the claim."""
    tokens, passage = _tokens(claim, hit), hit.passage
    quotable = pieces(passage)
    nearest = max(quotable, key=lambda piece: len(piece.tokens & tokens), default=None)
    return passage.text[nearest.start : nearest.end] if nearest else passage.text


def _tokens(claim: str, hit: Hit) -> frozenset[str]:
    return frozenset(index_tokens(claim, hit.passage.language))


def _said(hit: Hit) -> frozenset[str]:
    passage = hit.passage
    return frozenset(index_tokens(f"{passage.context} {passage.text}", passage.language))

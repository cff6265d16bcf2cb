"""From claims to an answer: markers, citations, confidence. Answers with and without a model go through here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pipelines.answering.claims import Claim
from pipelines.types import Answer, Citation, Delta, Hit

NOTHING_FOUND = "Nothing in the knowledge base answers this question."

Relevance = Callable[[Hit], float]
FollowUps = Callable[[Sequence[Claim]], Awaitable[tuple[str, ...]]]


@dataclass(slots=True)
class Draft:
    """The answer so far: what was said, what was cited in order of first appearance, what was left out."""

    max_citations: int
    text: str = ""
    cited: list[Hit] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    unsupported: int = 0

    def add(self, claim: Claim) -> str:
        """The text that the claim adds, its markers with it; nothing when it has no citation to stand on."""
        numbers = self._cite(claim.hits)
        if not numbers:
            self.unsupported += not claim.hits
            return ""
        self.claims.append(claim)
        delta = f"{' ' if self.text else ''}{claim.text} {''.join(f'[{number}]' for number in numbers)}"
        self.text += delta
        return delta

    def end(self, note: str) -> str:
        """The text that a sentence about the answer itself adds; it claims nothing."""
        delta = f" {note}"
        self.text += delta
        return delta

    @property
    def supported(self) -> float:
        """Share of the claims that their passages support, 0..1."""
        return len(self.claims) / max(1, len(self.claims) + self.unsupported)

    def _cite(self, hits: Sequence[Hit]) -> list[int]:
        return [number for hit in hits if (number := self._number(hit)) is not None]

    def _number(self, hit: Hit) -> int | None:
        """The citation's number, a new one for a new passage while there is room."""
        known = [cited.passage.id for cited in self.cited]
        if hit.passage.id in known:
            return known.index(hit.passage.id) + 1
        if len(self.cited) == self.max_citations:
            return None
        self.cited.append(hit)
        return len(self.cited)


async def compose(
    claims: AsyncIterator[Claim],
    *,
    confidence: Callable[[float], float],
    relevance: Relevance,
    follow_ups: FollowUps,
    documents_searched: int,
    max_citations: int,
    note: str = "",
) -> AsyncGenerator[Delta | Answer, None]:
    """The answer's text in pieces, a claim each, then the whole answer; without a supported claim, nothing was found.

    `confidence` is by the share of claims that are supported, 0..1; `note` ends the text of an answer.
    """
    draft = Draft(max_citations)
    async for claim in claims:
        if text := draft.add(claim):
            yield Delta(text)
    related = await follow_ups(draft.claims) if draft.claims else ()
    for event in _ending(draft, note, confidence(draft.supported), relevance, related, documents_searched):
        yield event


def compose_at_once(
    claims: Sequence[Claim],
    *,
    confidence: float,
    relevance: Relevance,
    follow_ups: Callable[[Sequence[Claim]], tuple[str, ...]],
    documents_searched: int,
    max_citations: int,
    note: str = "",
) -> Iterator[Delta | Answer]:
    """The same of claims that are all known, and the documents' own sentences."""
    draft = Draft(max_citations)
    for claim in claims:
        if text := draft.add(claim):
            yield Delta(text)
    related = follow_ups(draft.claims) if draft.claims else ()
    yield from _ending(draft, note, confidence, relevance, related, documents_searched)


def _ending(
    draft: Draft,
    note: str,
    confidence: float,
    relevance: Relevance,
    related: tuple[str, ...],
    documents_searched: int,
) -> Iterator[Delta | Answer]:
    if not draft.claims:
        yield from nothing_found(documents_searched)
        return
    if note:
        yield Delta(draft.end(note))
    yield Answer(
        text=draft.text,
        confidence=round(confidence, 4),
        citations=tuple(_citation(hit, relevance(hit)) for hit in draft.cited),
        related_questions=related,
        documents_searched=documents_searched,
    )


def nothing_found(documents_searched: int) -> tuple[Delta, Answer]:
    """The answer where the knowledge base has none, as it is streamed."""
    answer = Answer(text=NOTHING_FOUND, confidence=0.0, documents_searched=documents_searched)
    return Delta(NOTHING_FOUND), answer


def _citation(hit: Hit, relevance: float) -> Citation:
    return Citation(
        document_id=hit.document_id,
        title=hit.title,
        source=hit.source,
        url=hit.url,
        snippet=hit.passage.text,
        relevance=round(relevance, 4),
        metadata=hit.metadata,
        external_id=hit.external_id,
    )

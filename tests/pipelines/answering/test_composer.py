"""From claims to answers: every marker has its citation, every citation its marker."""

from collections.abc import AsyncIterator, Sequence

from pipelines.answering.claims import Claim
from pipelines.answering.composer import NOTHING_FOUND, compose
from pipelines.types import Answer, Delta
from tests.pipelines.answering.retrievals import hit

ONE, TWO, THREE = (hit(f"text {number}", number) for number in (1, 2, 3))


async def composed(*claims: Claim, max_citations: int = 5) -> tuple[str, Answer]:
    async def stream() -> AsyncIterator[Claim]:
        for claim in claims:
            yield claim

    async def follow_ups(_: Sequence[Claim]) -> tuple[str, ...]:
        return ("And then?",)

    events = compose(
        stream(),
        confidence=lambda supported: 0.8 * supported,
        relevance=lambda one: one.cosine,
        follow_ups=follow_ups,
        documents_searched=7,
        max_citations=max_citations,
    )
    *deltas, answer = [event async for event in events]
    assert isinstance(answer, Answer)
    return "".join(event.text for event in deltas if isinstance(event, Delta)), answer


async def test_citations_are_numbered_by_first_appearance() -> None:
    """A passage keeps its number; the pieces joined are the answer."""
    text, answer = await composed(Claim("A.", (TWO,)), Claim("B.", (ONE, TWO)))
    assert text == answer.text == "A. [1] B. [2][1]"
    assert [one.snippet for one in answer.citations] == ["text 2", "text 1"]
    assert (answer.confidence, answer.related_questions, answer.documents_used) == (0.8, ("And then?",), 2)


async def test_an_unsupported_claim_is_left_out_and_costs_confidence() -> None:
    """One of two: half the confidence."""
    text, answer = await composed(Claim("A.", (ONE,)), Claim("B.", ()))
    assert (text, answer.confidence) == ("A. [1]", 0.4)


async def test_without_a_supported_claim_nothing_was_found() -> None:
    """The fixed sentence, confidence 0, nothing cited, nothing suggested."""
    text, answer = await composed(Claim("B.", ()))
    assert text == answer.text == NOTHING_FOUND
    assert (answer.confidence, answer.citations, answer.related_questions) == (0.0, (), ())


async def test_a_claim_without_room_for_its_citation_is_left_out() -> None:
    """`max_citations` holds, and no claim stands without a marker."""
    text, answer = await composed(Claim("A.", (ONE,)), Claim("B.", (TWO,)), Claim("C.", (ONE, THREE)), max_citations=1)
    assert text == "A. [1] C. [1]"
    assert len(answer.citations) == 1

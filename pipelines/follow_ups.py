"""What a person would ask next and this knowledge base can answer: from headings beside what was found."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from pipelines.answering.claims import Claim
from pipelines.answering.passages import jaccard, token_set
from pipelines.answering.reading import Reading
from pipelines.types import Hit

MOST = 3
TRIED = 6
"""Candidates that are checked at most."""
SAME = 0.6
"""Jaccard similarity of two questions' search tokens from which the second asks nothing new."""
SEPARATOR = " › "

TEMPLATES = {
    "en": "What does “{title}” say about {topic}?",
    "de": "Was steht in „{title}“ zum Thema {topic}?",
    "fr": "Que dit « {title} » au sujet de : {topic} ?",
    "es": "¿Qué dice «{title}» sobre {topic}?",
    "zh": "《{title}》中关于“{topic}”是怎么说的？",
    "ja": "「{title}」では「{topic}」についてどう書かれていますか？",
    "ar": "ماذا يقول «{title}» عن {topic}؟",
}
"""By language of the passage that answers."""
TOPIC = re.compile(r"^[^|`#<>{}\[\]]{4,60}$")

Check = Callable[[str, Hit], Awaitable[bool]]
"""Whether a question finds this passage's document."""


async def follow_ups(reading: Reading, claims: Sequence[Claim], check: Check) -> tuple[str, ...]:
    """Up to three, each found by `check` to be answerable, none asking what was asked or is answered already."""
    found: list[str] = []
    asked = [_tokens(reading.retrieval.question.text, "en")]
    for tried, (question, hit) in enumerate(_candidates(reading, claims)):
        if len(found) == MOST or tried == TRIED:
            break
        tokens = _tokens(question, hit.passage.language)
        if all(jaccard(tokens, other) < SAME for other in asked) and await check(question, hit):
            asked.append(tokens)
            found.append(question)
    return tuple(found)


def _candidates(reading: Reading, claims: Sequence[Claim]) -> Iterator[tuple[str, Hit]]:
    """Of passages that were found but not cited, those of cited documents first."""
    cited = {hit.passage.id for claim in claims for hit in claim.hits}
    documents = {hit.document_id for claim in claims for hit in claim.hits}
    topics = {_topic(hit) for claim in claims for hit in claim.hits}
    rest = [hit for hit in reading.retrieval.hits if hit.passage.id not in cited]
    for hit in sorted(rest, key=lambda hit: hit.document_id not in documents):
        topic, template = _topic(hit), TEMPLATES.get(hit.passage.language)
        if template and topic and topic not in topics:
            topics.add(topic)
            yield template.format(title=hit.title, topic=_inner(topic, hit.passage.language)), hit


def _topic(hit: Hit) -> str | None:
    """The innermost heading, if it reads as a topic and is not the title."""
    heading = hit.passage.context.rpartition(SEPARATOR)[2].strip(" *_:.")
    return heading if heading != hit.title and TOPIC.match(heading) else None


def _inner(topic: str, language: str) -> str:
    """As it is written inside a sentence: an English heading's first word loses its capital if it is no name."""
    first, _, rest = topic.partition(" ")
    is_plain = language in {"en", "fr", "es"} and first[1:].islower() and not re.search(r"\b[A-Z]", rest)
    return topic[0].lower() + topic[1:] if is_plain else topic


def _tokens(text: str, language: str) -> frozenset[str]:
    return token_set(text, language)

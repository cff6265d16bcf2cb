"""What a person would ask next and this knowledge base can answer: from headings and titles beside what was cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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

OF_A_SECTION = {
    "en": "What does “{title}” say about {topic}?",
    "de": "Was steht in „{title}“ zum Thema {topic}?",
    "fr": "Que dit « {title} » au sujet de « {topic} » ?",
    "es": "¿Qué dice «{title}» sobre {topic}?",
    "zh": "《{title}》中关于“{topic}”是怎么说的？",
    "ja": "「{title}」では「{topic}」についてどう書かれていますか？",
    "ar": "ماذا يقول «{title}» عن {topic}؟",
}
OF_A_DOCUMENT = {
    "en": "What does “{topic}” cover?",
    "de": "Was sollte ich über „{topic}“ wissen?",
    "fr": "Que faut-il savoir sur « {topic} » ?",
    "es": "¿Qué debo saber sobre «{topic}»?",
    "zh": "关于“{topic}”需要了解什么？",
    "ja": "「{topic}」について何を知っておくべきですか？",
    "ar": "ماذا يجب أن أعرف عن «{topic}»؟",
}
"""By language of the passage that answers."""

NUMBERING = re.compile(r"^(?:\d+\.)*\d+\.?\s+|^§\s*\d+\s+")
VERSION = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
QUESTION = re.compile(r"[?？؟]$")
PLAIN = re.compile(r"^[^|`#<>{}\[\]]{4,70}$")
INSTRUCTION = re.compile(r"^how to ", re.IGNORECASE)
SMALL = frozenset({"en", "fr", "es"})
"""Languages that write common nouns small."""
LEAST_SCORE = 0.55
"""Fused score, within the retrieval, of passages of documents that were not cited."""

Finds = Callable[[str, Hit], bool]
"""Whether a question finds this passage's document."""


@lru_cache(maxsize=4096)
def unversioned(title: str) -> str:
    """Without a version or year in brackets at its end."""
    return VERSION.sub("", title).strip()


@lru_cache(maxsize=4096)
def spoken(heading: str) -> str:
    """Without its number."""
    return NUMBERING.sub("", VERSION.sub("", heading))


@dataclass(frozen=True, slots=True)
class Subject:
    """What a passage is about: its document's title and its innermost heading, both as they are spoken of."""

    title: str
    heading: str
    language: str
    text: str = field(compare=False)

    @classmethod
    def of(cls, hit: Hit) -> Subject:
        heading = spoken(hit.passage.context.rpartition(SEPARATOR)[2]).strip(" *_:.")
        return cls(unversioned(hit.title), heading, hit.passage.language, hit.passage.text)

    def question(self) -> str | None:
        """In the passage's language; None where no sentence is known to be right."""
        if not PLAIN.match(self.heading):
            return None
        if QUESTION.search(self.heading):
            return self.heading
        if self.language == "en" and (instruction := INSTRUCTION.match(self.heading)):
            return f"How do I {self.heading[instruction.end() :]}?"
        if self.heading == self.title:
            return OF_A_DOCUMENT.get(self.language, "").format(topic=self.title) or None
        return OF_A_SECTION.get(self.language, "").format(title=self.title, topic=self._topic()) or None

    def _topic(self) -> str:
        """The heading as it is written inside a sentence: without its capital, unless that belongs to a name."""
        first, _, rest = self.heading.partition(" ")
        is_name = not first[1:].islower() or re.search(rf"[a-z,;] {re.escape(first)}\b", self.text)
        return f"{first.lower()} {rest}".rstrip() if self.language in SMALL and not is_name else self.heading


def follow_ups(reading: Reading, claims: Sequence[Claim], finds: Finds) -> tuple[str, ...]:
    """Up to three, each of which `finds` what answers it, none asking what was asked or is answered already."""
    found: list[str] = []
    asked = [token_set(reading.retrieval.question.text, language) for language in reading.terms]
    for tried, (question, hit) in enumerate(candidates(reading, claims)):
        if len(found) == MOST or tried == TRIED:
            break
        tokens = token_set(question, hit.passage.language)
        if all(jaccard(tokens, other) < SAME for other in asked) and finds(question, hit):
            asked.append(tokens)
            found.append(question)
    return tuple(found)


def candidates(reading: Reading, claims: Sequence[Claim]) -> Iterator[tuple[str, Hit]]:
    """Of passages that were found and are about something else, those of cited documents first, each subject once."""
    cited = [hit for claim in claims for hit in claim.hits]
    documents = {hit.document_id for hit in cited}
    subjects = {Subject.of(hit) for hit in cited}
    for hit in sorted(reading.retrieval.hits, key=lambda hit: hit.document_id not in documents):
        subject = Subject.of(hit)
        is_near = hit.document_id in documents or (hit.score >= LEAST_SCORE and _speaks_as(hit, cited[0]))
        is_new = subject not in subjects and hit.document_id not in reading.outdated
        if is_near and is_new and not _is_asked(subject, reading) and (question := subject.question()):
            yield question, hit
        subjects.add(subject)


def _speaks_as(hit: Hit, other: Hit) -> bool:
    return hit.passage.language == other.passage.language


def _is_asked(subject: Subject, reading: Reading) -> bool:
    """Whether the question has all the words of the heading."""
    asked = token_set(reading.retrieval.question.text, subject.language)
    return token_set(subject.heading, subject.language) <= asked

"""What a person would ask next and this knowledge base can answer: from headings and titles beside what was cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, zip_longest
from uuid import UUID

from pipelines.answering.claims import Claim
from pipelines.answering.passages import jaccard
from pipelines.answering.pieces import token_set
from pipelines.inquiry import Inquiry
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
MACHINE_MADE = re.compile(r"\d{6}|\w_\w|\w\.\w{2,4}$")
"""Names of files and records: nobody speaks of them."""
INSTRUCTION = re.compile(r"^how to ", re.IGNORECASE)
SMALL = frozenset({"en", "fr", "es"})
"""Languages that write common nouns small."""
PARTICLE = r"(?:(?:of|the|for|de|du|des|del|la|le|les|y|et) )?"
ENTITY = re.compile(rf"(?<=[a-zà-ÿ,;] )[A-ZÀ-Þ][\w’'-]*\w(?: {PARTICLE}{PARTICLE}[A-ZÀ-Þ][\w’'-]*\w)+")
"""Names of several words inside a sentence."""
LEAST_SCORE = 0.55
"""Fused score, within the retrieval, of passages of documents that were not cited."""

FOUND = 0.45
"""Share of what BM25 can be at most; such questions are answered with a confidence of .3 in 19 of 20 cases."""

Finds = Callable[[str, Hit], float]
"""BM25 of the best passage that a question finds, as a share of its bound; 0 where it is not of this hit's document."""


@lru_cache(maxsize=4096)
def spoken(heading: str) -> str:
    """Without its number, and without a version or year in brackets at its end."""
    return NUMBERING.sub("", VERSION.sub("", heading)).strip(" *_:.")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a passage is about: its document's title and its innermost heading, both as they are spoken of."""

    title: str
    heading: str
    language: str
    text: str = field(compare=False)

    @classmethod
    def of(cls, hit: Hit) -> Subject:
        heading = spoken(hit.passage.context.rpartition(SEPARATOR)[2])
        return cls(spoken(hit.title), heading, hit.passage.language, hit.passage.text)

    def question(self) -> str | None:
        """In the passage's language; None where no sentence is known to be right."""
        if not PLAIN.match(self.heading) or MACHINE_MADE.search(self.title):
            return None
        if QUESTION.search(self.heading):
            return self.heading
        if self.language == "en" and (instruction := INSTRUCTION.match(self.heading)):
            return f"How do I {self.heading[instruction.end() :]}?"
        if self.heading == self.title and not self.entity:
            return OF_A_DOCUMENT.get(self.language, "").format(topic=self.title) or None
        topic = self.entity if self.heading == self.title else self._topic()
        return OF_A_SECTION.get(self.language, "").format(title=self.title, topic=topic) or None

    @property
    def entity(self) -> str | None:
        """The first name in the text that has no word of the title."""
        said = set(self.title.lower().split())
        names = ENTITY.findall(self.text) if self.language in SMALL else ()
        return next((name for name in names if said.isdisjoint(name.lower().split())), None)

    def _topic(self) -> str:
        """The heading as it is written inside a sentence: without its capital, unless that belongs to a name."""
        first, _, rest = self.heading.partition(" ")
        is_name = not (first[1:] or "a").islower() or re.search(rf"[a-z,;] {re.escape(first)}\b", self.text)
        return f"{first.lower()} {rest}".rstrip() if self.language in SMALL and not is_name else self.heading


def follow_ups(inquiry: Inquiry, claims: Sequence[Claim], finds: Finds, known: Sequence[str] = ()) -> tuple[str, ...]:
    """The `known` ones and up to three in all, each of which `finds` what answers it, none asking what is answered."""
    found = list(known)
    for tried, (question, hit) in enumerate(candidates(inquiry, claims)):
        if len(found) == MOST or tried == TRIED:
            break
        if is_new(question, hit.passage.language, (*inquiry.asked, *found)) and finds(question, hit) >= FOUND:
            found.append(question)
    return tuple(found)


def is_new(question: str, language: str, asked: Iterable[str]) -> bool:
    """Whether it asks something else than those that were asked."""
    tokens = token_set(question, language)
    return all(jaccard(tokens, token_set(other, language)) < SAME for other in asked)


def candidates(inquiry: Inquiry, claims: Sequence[Claim]) -> Iterator[tuple[str, Hit]]:
    """Of passages that were found and are about something else, those of cited documents first, each subject once."""
    cited = [hit for claim in claims for hit in claim.hits]
    documents = {hit.document_id for hit in cited}
    subjects = {Subject.of(hit) for hit in cited}
    outdated = frozenset[UUID]().union(*(reading.outdated for reading in inquiry.readings))
    for hit in sorted(_found(inquiry), key=lambda hit: hit.document_id not in documents):
        subject = Subject.of(hit)
        is_near = hit.document_id in documents or (hit.score >= LEAST_SCORE and _speaks_as(hit, cited[0]))
        is_new = subject not in subjects and hit.document_id not in outdated
        if is_near and is_new and not _is_asked(subject, inquiry) and (question := subject.question()):
            yield question, hit
        subjects.add(subject)


def _found(inquiry: Inquiry) -> Iterator[Hit]:
    """What was found for the parts that have an answer, in turns."""
    rows = zip_longest(*(reading.retrieval.hits for reading in inquiry.readings))
    return (hit for hit in chain.from_iterable(rows) if hit)


def _speaks_as(hit: Hit, other: Hit) -> bool:
    return hit.passage.language == other.passage.language


def _is_asked(subject: Subject, inquiry: Inquiry) -> bool:
    """Whether the question has all the words of the heading."""
    heading = token_set(subject.heading, subject.language)
    return any(heading <= token_set(text, subject.language) for text in inquiry.asked)

"""A question as it is answered: its parts, what was found for each, and which of them have an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest

from pipelines.answering.markers import MARKER
from pipelines.answering.reading import Reading, read
from pipelines.calibration import Calibration
from pipelines.confidence import Classifier, Judgement, judge
from pipelines.text.tokens import detect_language
from pipelines.types import Hit, Moment, Retrieval, Scope

NOT_FOUND = {
    "en": "Nothing was found on: “{parts}”.",
    "de": "Nichts gefunden wurde zu: „{parts}“.",
    "fr": "Rien n'a été trouvé sur : « {parts} ».",
    "es": "No se encontró nada sobre: «{parts}».",
}
"""By language of the question; English for others."""
LONGEST_NAME = 12
"""Words of a part in the note."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A part of a question with what was found for it, read closely and judged."""

    reading: Reading
    judgement: Judgement

    @classmethod
    def of(
        cls,
        retrieval: Retrieval,
        calibration: Calibration,
        languages: Collection[str] | None,
        classifier: Classifier | None,
    ) -> Finding:
        reading = read(retrieval)
        if not any(map(str.isalnum, retrieval.question.text)):
            # Signs alone are near to whatever is short.
            return cls(reading, Judgement(is_answerable=False, confidence=0.0))
        return cls(reading, judge(reading, calibration, languages, classifier))

    @property
    def question(self) -> str:
        return self.reading.retrieval.question.text


@dataclass(frozen=True)
class Inquiry:
    """A question and the findings of its parts; of the question itself where it is one."""

    question: str
    findings: tuple[Finding, ...]

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Of the parts that have an answer."""
        return tuple(finding.reading for finding in self.findings if finding.judgement.is_answerable)

    @property
    def is_split(self) -> bool:
        """Whether anything was found, and not the same for each part: what one passage tells is one question."""
        best = {finding.reading.passages[0].hit.passage.id for finding in self.findings if finding.reading.passages}
        return bool(self.readings) and (len(best) > 1 or len(self.readings) < len(self.findings))

    @property
    def confidence(self) -> float:
        """The share of the parts that is expected to be answered rightly; a part without an answer is not."""
        sure = [finding.judgement.confidence for finding in self.findings if finding.judgement.is_answerable]
        return sum(sure) / len(self.findings)

    @property
    def documents_searched(self) -> int:
        return self.findings[0].reading.retrieval.documents_searched

    @property
    def moment(self) -> Moment | None:
        """None where its parts are of several."""
        moments = {finding.reading.retrieval.moment for finding in self.findings}
        return moments.pop() if len(moments) == 1 else None

    @property
    def scope(self) -> Scope:
        return self.findings[0].reading.retrieval.scope

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(finding.question for finding in self.findings)

    @property
    def asked(self) -> frozenset[str]:
        """The question and its parts."""
        return frozenset((self.question, *self.parts))

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The best passages of the parts that have an answer, in turns, each once."""
        rows = zip_longest(*([passage.hit for passage in reading.passages] for reading in self.readings))
        return tuple({hit.passage.id: hit for hit in chain.from_iterable(rows) if hit}.values())

    @cached_property
    def note(self) -> str:
        """A sentence that says which parts have no answer, if there are any."""
        missing = [_named(finding.question) for finding in self.findings if not finding.judgement.is_answerable]
        if not missing:
            return ""
        return NOT_FOUND.get(detect_language(self.question), NOT_FOUND["en"]).format(parts="; ".join(missing))


def _named(part: str) -> str:
    """A part as the note names it: shortly, and without what looks like a marker."""
    words = MARKER.sub("", part).split()
    return " ".join(words[:LONGEST_NAME]) + ("…" if len(words) > LONGEST_NAME else "")


def inquiry_of(
    question: str,
    retrievals: Sequence[Retrieval],
    calibration: Calibration,
    languages: Collection[str] | None = None,
    classifier: Classifier | None = None,
) -> Inquiry:
    """Reads and judges, by an embedding model of these languages; for a thread."""
    return Inquiry(
        question, tuple(Finding.of(retrieval, calibration, languages, classifier) for retrieval in retrievals)
    )

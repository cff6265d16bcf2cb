"""Examples for the answerability classifier: a question, a text, and where in it the answer is, if it is there."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.training.perturbations import NAME, perturb
from eval.training.windows import ROOM, Span, around, most_alike, overlap, sentences, words

PERTURBED, BESIDE = 0.5, 0.82
"""Of answered questions that are made unanswered ones: shares up to which the question is perturbed, and up to which it
is asked of other sentences of its text; the others are asked of another text."""
BY_RULE = 0.4
"""Share of the answered questions that were written for the training of which an unanswered one is made."""
AT_MOST = 2
"""Unanswered questions taken of a text, for each answered one: who wrote a question must not tell what it is."""
OTHERS = 12
"""Texts among which the one most like a question is looked for, where it is asked of another text."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """`answer` is its place in the text; None where there is none."""

    question: str
    title: str
    text: str
    answer: Span | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a text, and where its answer is there."""

    question: str
    answer: Span | None = None


@dataclass(frozen=True, slots=True)
class Text:
    title: str
    content: str
    asked: tuple[Asked, ...]


def read_squad(path: Path) -> list[Text]:
    """Paragraphs of a file in SQuAD's format (Rajpurkar et al. 2016), with the first answer of each question."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    return [
        Text(article["title"].replace("_", " "), paragraph["context"], tuple(map(_asked, paragraph["qas"])))
        for article in raw["data"]
        for paragraph in article["paragraphs"]
    ]


def _asked(raw: Mapping[str, Any]) -> Asked:
    answer = raw["answers"][0]
    start = int(answer["answer_start"])
    return Asked(raw["question"].strip(), (start, start + len(answer["text"])))


def read_written(path: Path) -> Iterator[Text]:
    """A file of texts: `## title`, the text, `+ question | its words in the text`, `- question without an answer`."""
    for block in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, *lines = block.splitlines()
        content = "\n".join(line for line in lines if line.strip() and not line.startswith(("+ ", "- ")))
        yield Text(title.strip(), content, tuple(_questions(lines, content)))


def read_near_misses(path: Path, texts: Sequence[Text]) -> Iterator[Text]:
    """A file of questions about `texts`: `# number`, then as in `read_written`."""
    for block in re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        number, *lines = block.splitlines()
        about = texts[int(number)]
        yield Text(about.title, about.content, tuple(_questions(lines, about.content)))


def _questions(lines: Iterable[str], content: str) -> Iterator[Asked]:
    for line in lines:
        question, _, said = line[2:].rpartition(" | ")
        if line.startswith("- "):
            yield Asked(line[2:].strip())
        elif line.startswith("+ ") and (start := content.find(said.strip())) >= 0:
            yield Asked(question.strip(), (start, start + len(said.strip())))


def of_squad(texts: Sequence[Text], draw: random.Random) -> Iterator[TrainingExample]:
    """Each question with its answer; and with the same words, without."""
    articles: dict[str, list[Text]] = defaultdict(list)
    for text in texts:
        articles[text.title].append(text)
    names = {title: [name for one in own for name in NAME.findall(one.content)] for title, own in articles.items()}
    for text in texts:
        for asked in text.asked:
            if right := answered(text, asked, draw):
                yield right
                yield from _without(text, asked, right, names[text.title], articles[text.title], draw)


def _without(
    text: Text, asked: Asked, right: TrainingExample, names: Sequence[str], others: Sequence[Text], draw: random.Random
) -> Iterator[TrainingExample]:
    kind = draw.random()
    if kind < PERTURBED and (perturbed := perturb(asked.question, right.text, names, draw)):
        yield TrainingExample(perturbed, text.title, right.text, None)
    elif kind < BESIDE:
        yield from unanswered(text, asked, draw)
    elif other := _most_alike_of(others, text, asked, draw):
        yield from unanswered(other, Asked(asked.question), draw)


def _most_alike_of(others: Sequence[Text], text: Text, asked: Asked, draw: random.Random) -> Text | None:
    said = _said(text, asked).lower()
    drawn = draw.sample(others, min(OTHERS, len(others)))
    without = [other for other in drawn if other is not text and said not in other.content.lower()]
    wanted = words(asked.question)
    return max(without, key=lambda other: len(wanted & words(other.content)), default=None)


def of_written(texts: Sequence[Text], draw: random.Random) -> Iterator[TrainingExample]:
    """The answered questions, of the others at most `AT_MOST` times as many, and some made unanswered by rule."""
    for text in texts:
        rights = [asked for asked in text.asked if asked.answer]
        wrongs = [asked for asked in text.asked if not asked.answer]
        for asked in draw.sample(wrongs, min(len(wrongs), AT_MOST * len(rights))):
            yield from unanswered(text, asked, draw)
        for asked in rights:
            if right := answered(text, asked, draw):
                yield right
                if draw.random() < BY_RULE:
                    yield from _without(text, asked, right, (), texts, draw)


def answered(text: Text, asked: Asked, draw: random.Random) -> TrainingExample | None:
    """The window around the answer."""
    if asked.answer is None:
        return None
    start, end = asked.answer
    parts = sentences(text.content)
    place = next((place for place, part in enumerate(parts) if part[0] <= start < part[1]), None)
    if place is None:
        return None
    first, last = around(text.content, parts, place, draw.choice(ROOM))
    last = max(last, end)
    return TrainingExample(asked.question, text.title, text.content[first:last], (start - first, end - first))


def unanswered(text: Text, asked: Asked, draw: random.Random) -> Iterator[TrainingExample]:
    """The window most like the question that has no answer to it; none where each has one."""
    held = [found.span() for found in re.finditer(re.escape(_said(text, asked)), text.content)] if asked.answer else []
    parts = sentences(text.content)
    free = [part for part in parts if not any(overlap(part, answer) for answer in held)]
    if not free:
        return
    chosen = most_alike(asked.question, text.content, free, draw)
    window = around(text.content, parts, parts.index(chosen), draw.choice(ROOM))
    if any(overlap(window, answer) for answer in held):
        window = chosen
    yield TrainingExample(asked.question, text.title, text.content[slice(*window)], None)


def _said(text: Text, asked: Asked) -> str:
    return text.content[slice(*asked.answer)] if asked.answer else ""

"""Data sets in BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` or `qrels/test.tsv` in one folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from pipelines.types import NewDocument

HANDBOOK = Path(str(files("eval"))) / "data" / "handbook"
TRANSLATIONS = "translations.jsonl"
OWN, SPLIT = "qrels.tsv", "qrels/test.tsv"
HEADER = ["query-id", "corpus-id", "score"]
UNTITLED = "untitled"
LONGEST_TITLE = 500


class DatasetError(ValueError):
    """The folder is no data set; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    answers: tuple[str, ...] = ()
    answerable: bool = True
    kind: str = ""
    """Of an unanswerable question: `near-miss` or `other`."""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    documents: tuple[NewDocument, ...]
    questions: tuple[Question, ...]
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Grades above 0 by question and document."""

    def judged(self) -> tuple[Question, ...]:
        """The questions that have a gold document."""
        return tuple(question for question in self.questions if question.id in self.gold)

    def first(self, count: int) -> Dataset:
        """With at most so many documents, those of the judgements first; judgements of the others are gone."""
        wanted = {document for grades in self.gold.values() for document in grades}
        documents = sorted(self.documents, key=lambda document: document.external_id not in wanted)[:count]
        return replace(self, documents=tuple(documents), gold=_among(self.gold, documents))

    def texts(self) -> dict[str, str]:
        return {document.external_id: document.content for document in self.documents}


def load(folder: Path | str) -> Dataset:
    """Raises DatasetError. Documents without text are left out, with the judgements of them.

    With `qrels/test.tsv`, as BEIR is downloaded, the questions are those that it judges: others are for training.
    """
    folder = Path(folder)
    rows = _corpus(folder)
    documents = _documents(rows, folder)
    questions = tuple(question_of(row) for row in _objects(folder / "queries.jsonl"))
    _only_once(folder / "queries.jsonl", (question.id for question in questions))
    is_split = (folder / SPLIT).is_file() and not (folder / OWN).is_file()
    qrels = folder / (SPLIT if is_split else OWN)
    gold = _gold(qrels, {str(row["_id"]) for row in rows}, {question.id for question in questions})
    dataset = Dataset(folder.name, documents, questions, _among(gold, documents))
    return replace(dataset, questions=dataset.judged()) if is_split else dataset


def documents_of(folder: Path) -> tuple[NewDocument, ...]:
    """The documents alone. Raises DatasetError."""
    return _documents(_corpus(folder), folder)


def _corpus(folder: Path) -> list[Mapping[str, Any]]:
    rows = list(_objects(folder / "corpus.jsonl"))
    _only_once(folder / "corpus.jsonl", (str(row["_id"]) for row in rows))
    return rows


def _documents(rows: Iterable[Mapping[str, Any]], folder: Path) -> tuple[NewDocument, ...]:
    return tuple(_document(row, folder.name) for row in rows if str(row["text"]).strip())


def _among(gold: Mapping[str, Mapping[str, int]], documents: Iterable[NewDocument]) -> dict[str, dict[str, int]]:
    """The judgements of these documents."""
    there = {document.external_id for document in documents}
    kept = {question: {d: grade for d, grade in grades.items() if d in there} for question, grades in gold.items()}
    return {question: grades for question, grades in kept.items() if grades}


def _document(row: Mapping[str, Any], name: str) -> NewDocument:
    metadata = dict(row.get("metadata") or {})
    return NewDocument(
        source=str(metadata.pop("source", name)),
        external_id=str(row["_id"]),
        title=str(row.get("title") or "").strip()[:LONGEST_TITLE] or UNTITLED,
        content=str(row["text"]),
        url=metadata.pop("url", None),
        metadata=metadata,
    )


def question_of(row: Mapping[str, Any]) -> Question:
    """Raises DatasetError."""
    if not isinstance(row.get("answerable", True), bool):
        raise DatasetError(f"question {row['_id']!r}: answerable is true or false, not {json.dumps(row['answerable'])}")
    return Question(
        id=str(row["_id"]),
        text=str(row["text"]),
        answers=tuple(row.get("answers") or ()),
        answerable=row.get("answerable", True),
        kind=str(row.get("kind") or ""),
        type=str(row.get("type") or ""),
    )


def _gold(path: Path, documents: set[str], questions: set[str]) -> dict[str, dict[str, int]]:
    gold: dict[str, dict[str, int]] = {}
    for at, (question, document, grade) in _judgements(path):
        if question not in questions:
            raise DatasetError(f"{path}, line {at}: there is no question {question!r}")
        if document not in documents:
            raise DatasetError(f"{path}, line {at}: there is no document {document!r}")
        if grade > 0:
            gold.setdefault(question, {})[document] = grade
    return gold


def _judgements(path: Path) -> Iterator[tuple[int, tuple[str, str, int]]]:
    lines = lines_of(path)
    if next(lines, (1, ""))[1].split("\t") != HEADER:
        raise DatasetError(f"{path}, line 1: the header is not {' '.join(HEADER)}, separated by tabs")
    for at, line in lines:
        try:
            question, document, grade = line.split("\t")
            yield at, (question, document, int(grade))
        except ValueError:
            raise DatasetError(f"{path}, line {at}: not a question, a document and a whole number") from None


def _objects(path: Path) -> Iterator[Mapping[str, Any]]:
    """Each line as an object that has at least `_id` and `text`."""
    for at, line in lines_of(path):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(f"{path}, line {at}: no JSON: {error}") from None
        if not isinstance(row, dict) or not {"_id", "text"} <= row.keys():
            raise DatasetError(f"{path}, line {at}: not an object with _id and text")
        yield row


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from None
    for at, line in enumerate(content.split("\n"), 1):
        if line.strip():
            yield at, line.rstrip("\r")


def _only_once(path: Path, ids: Iterable[str]) -> None:
    twice = [one for one, count in Counter(ids).items() if count > 1]
    if twice:
        raise DatasetError(f"{path}: the id {twice[0]!r} is there more than once")


def batches(documents: Sequence[NewDocument], size: int) -> Iterator[Sequence[NewDocument]]:
    for at in range(0, len(documents), size):
        yield documents[at : at + size]

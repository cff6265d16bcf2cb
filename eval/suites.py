"""What a run asks: the handbook, a folder in BEIR's layout, or a file of questions with gold answers."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from eval.datasets import (
    HANDBOOK,
    TRANSLATIONS,
    Dataset,
    DatasetError,
    Question,
    documents_of,
    lines_of,
    load,
    question_of,
)
from pipelines.types import NewDocument

HANDBOOK_PARTS = HANDBOOK.with_name("handbook-parts.jsonl")
"""Questions that ask the handbook for several things at once; right is what has all of their answers."""
LANGUAGES = ("de", "es", "zh")
"""That questions of the handbook were translated to."""


def find(name: str, data: Path | None = None) -> Dataset:
    """`name` is `handbook`, `handbook-parts`, `handbook-de`, `-es` or `-zh`, a path, or a path in `data`.

    A file's documents are those of `data`, else beside it. Raises DatasetError.
    """
    places = [Path(name), *([data / name] if data else [])]
    if path := next((place for place in places if place.exists()), None):
        return load(path) if path.is_dir() else load_questions(path, data or path.parent)
    if name == HANDBOOK.name:
        return load(HANDBOOK)
    if name == HANDBOOK_PARTS.stem:
        return load_questions(HANDBOOK_PARTS, HANDBOOK)
    own, _, language = name.partition("-")
    if own == HANDBOOK.name and language in LANGUAGES:
        return translated(load(HANDBOOK), HANDBOOK / TRANSLATIONS, language)
    built_in = ", ".join([HANDBOOK.name, HANDBOOK_PARTS.stem, *(f"{HANDBOOK.name}-{one}" for one in LANGUAGES)])
    raise DatasetError(
        f"there is no suite {name}: looked for {' and '.join(map(str, places))}; built in are {built_in}"
    )


def translated(dataset: Dataset, path: Path, language: str) -> Dataset:
    """Those of its questions that `path` has in the language, a text by language in each line; gold stays."""
    rows = [_row(path, at, line) for at, line in lines_of(path)]
    texts = {row["_id"]: row[language] for row in rows if language in row}
    if not texts:
        raise DatasetError(f"{path}: there is no question in {language}")
    chosen = {question.id: question for question in dataset.questions}
    questions = tuple(replace(chosen[one], text=text) for one, text in texts.items())
    gold = {one: dataset.gold[one] for one in texts if one in dataset.gold}
    return replace(dataset, name=f"{dataset.name}-{language}", questions=questions, gold=gold)


def load_questions(path: Path, corpus: Path) -> Dataset:
    """Questions of a JSON Lines file, asked of the documents of a folder, or of what the target holds already.

    A line has `question` (or `text`) and may have `id`, `answers`, `documents`, `answerable`, `kind` and `type`.
    """
    documents = documents_of(corpus) if (corpus / "corpus.jsonl").is_file() else ()
    rows = [(at, _object(path, at, line)) for at, line in lines_of(path)]
    questions = tuple(question_of(row) for _, row in rows)
    if not questions:
        raise DatasetError(f"{path}: there is no question")
    if len({question.id for question in questions}) < len(questions):
        raise DatasetError(f"{path}: an id is there more than once")
    gold = {question.id: _gold(row) for question, (_, row) in zip(questions, rows, strict=True)}
    _among(path, gold, documents)
    return Dataset(path.stem, documents, questions, {question: grades for question, grades in gold.items() if grades})


def _object(path: Path, at: int, line: str) -> dict[str, Any]:
    row = _row(path, at, line)
    if not str(row.get("question") or row.get("text") or "").strip():
        raise DatasetError(f"{path}, line {at}: not an object with a question")
    answers = row.get("answers", row.get("answer")) or ()
    texts = [answers] if isinstance(answers, str) else [str(answer) for answer in answers]
    asked = {"_id": row.get("id", row.get("_id", at)), "text": row.get("question") or row["text"]}
    return {**row, **asked, "answers": texts}


def _row(path: Path, at: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{path}, line {at}: no JSON: {error}") from None
    return row if isinstance(row, dict) else {}


def _gold(row: Mapping[str, Any]) -> dict[str, int]:
    return {str(document): 1 for document in row.get("documents") or ()}


def _among(path: Path, gold: Mapping[str, Mapping[str, int]], documents: Sequence[NewDocument]) -> None:
    """Where the documents are known, gold ones are among them."""
    there = {document.external_id for document in documents}
    lost = [(question, one) for question, grades in gold.items() for one in grades if there and one not in there]
    if lost:
        raise DatasetError(f"{path}: there is no document {lost[0][1]!r}, the gold document of {lost[0][0]!r}")


def sample(dataset: Dataset, limit: int | None, seed: int) -> Dataset:
    """So many of its questions, the same ones for the same seed, in their order; all its documents."""
    if limit is None or limit >= len(dataset.questions):
        return dataset
    chosen = sorted(random.Random(seed).sample(range(len(dataset.questions)), limit))  # noqa: S311 - no secret
    return replace(dataset, questions=tuple(dataset.questions[at] for at in chosen))


def halves(dataset: Dataset, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Its questions in two halves, with all its documents in both: to tune on one and to show on the other."""
    first = sample(dataset, len(dataset.questions) // 2, seed)
    chosen = set(first.questions)
    return first, replace(dataset, questions=tuple(one for one in dataset.questions if one not in chosen))


def fingerprint(dataset: Dataset) -> str:
    """SHA-256 of all that is read of the data: documents, questions, gold."""
    ordered = sorted((asdict(document) for document in dataset.documents), key=lambda one: str(one["external_id"]))
    questions: list[Question] = sorted(dataset.questions, key=lambda question: question.id)
    content = [ordered, [asdict(question) for question in questions], dataset.gold]
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()

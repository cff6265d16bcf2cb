"""Questions in another language than the documents are, over the handbook's English documents."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

from eval.datasets import HANDBOOK, DatasetError
from eval.suites import find
from eval.targets import PipelineTarget
from pipelines.embedding import resolve_embedding
from pipelines.embedding.e5 import E5

LANGUAGES = ("de", "es", "zh")
EVERY = 4
"""Of the questions so many are passed over for each that is asked."""
is_there = importlib.util.find_spec(E5.package) is not None or os.environ.get("CI") == "true"


def english_documents():
    with (HANDBOOK / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        english = {row["_id"] for row in rows if row["metadata"]["language"] == "en"}
    return [document for document in find("handbook").documents if document.external_id in english]


async def opened(folder: Path, model: str) -> PipelineTarget:
    target = await PipelineTarget.open(folder, "handbook", embedding=resolve_embedding(data_folder=folder, model=model))
    await target.ingest(english_documents())
    return target


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_are_parallel_and_have_english_gold(language: str) -> None:
    """At least sixty answerable questions, and some without an answer; their documents are in English."""
    dataset = find(f"handbook-{language}")
    english = {document.external_id for document in english_documents()}
    assert len(dataset.judged()) >= 60
    assert sum(not question.answerable for question in dataset.questions) >= 10
    assert all(gold.keys() <= english for gold in dataset.gold.values())
    assert len({question.text for question in dataset.questions}) == len(dataset.questions)
    assert [question.id for question in dataset.questions] == [one.id for one in find("handbook-de").questions]


def test_a_language_that_is_not_there_is_told() -> None:
    """The handbook's questions are not in Klingon."""
    with pytest.raises(DatasetError, match="built in are handbook"):
        find("handbook-tlh")


async def test_the_english_model_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    """German questions over English documents are refused with all-MiniLM-L6-v2, not answered with noise."""
    target = await opened(tmp_path, "all-MiniLM-L6-v2")
    try:
        dataset = find("handbook-de")
        replies = {one.id: await target.ask(one.text) for one in dataset.questions}
    finally:
        await target.close()
    noise = [
        question
        for question, reply in replies.items()
        if not {cited.external_id for cited in reply.citations} <= dataset.gold.get(question, {}).keys()
    ]
    assert len(noise) <= len(replies) / 10


@pytest.mark.skipif(not is_there, reason="make multilingual")
@pytest.mark.timeout(600)
async def test_the_multilingual_model_finds_and_answers(tmp_path: Path) -> None:
    """Most questions in three languages find their English document, and most are answered with it."""
    target = await opened(tmp_path, E5.name)
    found, cited, asked = 0, 0, 0
    try:
        for language in LANGUAGES:
            dataset = find(f"handbook-{language}")
            for question in dataset.judged()[::EVERY]:
                gold = dataset.gold[question.id].keys()
                asked += 1
                found += bool(gold & {one.external_id for one in await target.search(question.text, limit=5)})
                cited += bool(gold & {one.external_id for one in (await target.ask(question.text)).citations})
    finally:
        await target.close()
    assert found >= 0.8 * asked
    assert cited >= 0.5 * asked

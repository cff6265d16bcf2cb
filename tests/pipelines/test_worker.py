"""Indexing is fair between organizations, and what nobody wants any more is not indexed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from pipelines.embedding import Vectors
from pipelines.errors import DocumentNotFound, KnowledgeBaseError
from pipelines.knowledge import KnowledgeBase
from pipelines.types import DocumentStatus, NewDocument, Put, Scope
from pipelines.worker import GROUP
from tests.pipelines.conftest import ORGANIZATION, OTHER, WordHashing, document, settled

SMALL, LARGE = Scope(ORGANIZATION), Scope(OTHER)


class Stopping(WordHashing):
    """Stops at texts with the word `slow` until it is let go."""

    def __init__(self) -> None:
        super().__init__(embedded=[])
        self.go_on = threading.Event()
        self.reached = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any("slow" in text for text in texts):
            self.reached.set()
            assert self.go_on.wait(60)
        return super().embed_passages(texts)


@pytest.fixture
def embedding() -> Stopping:
    return Stopping()


@pytest.fixture
async def knowledge(tmp_path: Path, embedding: Stopping, database_url: str) -> AsyncIterator[KnowledgeBase]:
    async with await KnowledgeBase.open(tmp_path, embedding=embedding, database_url=database_url) as opened:
        try:
            yield opened
        finally:
            embedding.go_on.set()


def long(number: int, word: str = "slow") -> NewDocument:
    """A group of its own."""
    sentence = f"The {word} heron number{number} stood in the reeds. "
    return document(str(number), content=sentence * (GROUP // len(sentence) + 1))


async def stopped(
    knowledge: KnowledgeBase, embedding: Stopping, *, wait: float
) -> asyncio.Task[list[Put | KnowledgeBaseError]]:
    """Four long documents, of which the first is under way and will not end."""
    task = asyncio.create_task(knowledge.put_many([long(number) for number in range(4)], LARGE, wait=wait))
    assert await asyncio.to_thread(embedding.reached.wait, 30)
    return task


@pytest.mark.parametrize("wait", [0, 60])
@pytest.mark.parametrize("own_wait", [0, 60])
async def test_one_organizations_long_documents_stop_no_other_ones(
    knowledge: KnowledgeBase, embedding: Stopping, wait: float, own_wait: float
) -> None:
    """A document is indexed while another organization's will not end, waited for or in the background."""
    theirs = await stopped(knowledge, embedding, wait=wait)
    async with asyncio.timeout(20):
        await knowledge.put(document(), SMALL, wait=own_wait)
        await settled(knowledge, SMALL)
    assert (await knowledge.search("heron", SMALL)).hits
    embedding.go_on.set()
    await theirs
    await settled(knowledge, LARGE)
    assert (await knowledge.search("heron", LARGE)).documents_searched == 4


async def test_what_was_removed_or_revised_while_it_waited_is_not_begun(
    knowledge: KnowledgeBase, embedding: Stopping
) -> None:
    """When its turn comes, a document is looked at again: only what is wanted still is embedded."""
    theirs = await stopped(knowledge, embedding, wait=60)
    started = {word for text in embedding.embedded for word in text.split()}
    assert "number2" not in started
    await knowledge.remove_by_key("wiki", "2", LARGE)
    await knowledge.put(document("3", content="Now about otters."), LARGE, wait=0)
    embedding.go_on.set()
    await theirs
    await settled(knowledge, LARGE)
    embedded = {word for text in embedding.embedded for word in text.split()}
    assert {"number0", "number1", "otters."} <= embedded
    assert not {"number2", "number3"} & embedded


async def test_what_is_removed_while_it_is_indexed_is_not_found(knowledge: KnowledgeBase, embedding: Stopping) -> None:
    """Whoever waits for it is told what an update would be told; the others of the batch are searchable."""
    theirs = await stopped(knowledge, embedding, wait=60)
    await knowledge.remove_by_key("wiki", "0", LARGE)
    embedding.go_on.set()
    assert [type(one) for one in await theirs] == [DocumentNotFound, Put, Put, Put]


async def test_what_was_given_up_is_not_held_on_to(
    knowledge: KnowledgeBase, embedding: Stopping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that could neither be indexed nor marked as failed is held no longer than its lease."""
    worker = knowledge._worker
    assert worker
    indexer = worker._indexer
    task = await stopped(knowledge, embedding, wait=60)
    assert len(indexer.underway) == 4

    async def away(*_: object) -> None:
        raise OSError("the database is away")

    monkeypatch.setattr(indexer, "_index_together", away)
    embedding.go_on.set()
    await asyncio.gather(task, return_exceptions=True)
    for _ in range(500):
        if not indexer.underway:
            break
        await asyncio.sleep(0.01)
    assert indexer.underway == []


async def test_what_is_searchable_has_not_failed(
    knowledge: KnowledgeBase, embedding: Stopping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong once a document is published is no failure of the document."""
    worker = knowledge._worker
    assert worker
    embedding.go_on.set()

    async def broken(*_: object) -> None:
        raise RuntimeError("while the indexes followed")

    monkeypatch.setattr(worker._indexer, "follow", broken)
    await knowledge.put(document(), SMALL)
    await settled(knowledge, SMALL)
    [known] = (await knowledge.list(SMALL)).documents
    assert (known.status, known.error) == (DocumentStatus.INDEXED, None)
    assert (await knowledge.search("heron", SMALL)).hits


@pytest.mark.parametrize("turns", range(4))
async def test_a_worker_that_is_woken_while_it_is_stopped_stops(
    knowledge: KnowledgeBase, embedding: Stopping, turns: int
) -> None:
    """Both in one moment, as at the end of a document that somebody waited for."""
    worker = knowledge._worker
    assert worker
    embedding.go_on.set()
    await asyncio.sleep(0.2)
    worker.wake()
    for _ in range(turns):
        await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await worker.stop()

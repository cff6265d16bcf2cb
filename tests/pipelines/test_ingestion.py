"""Passages are embedded once, each for itself or with a share of its document."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from pipelines.embedding import in_document, unit
from pipelines.knowledge import KnowledgeBase
from pipelines.store.changes import unpack
from pipelines.store.tables import passages
from pipelines.types import Scope, Vector
from tests.pipelines.conftest import WordHashing, document

ONE = "Herons nest by the river in April. " * 30
TWO = "Kites eat mice and frogs in May. " * 30


async def stored(knowledge: KnowledgeBase) -> dict[UUID, list[Vector]]:
    """Vectors in their order, by document."""
    found: dict[UUID, list[Vector]] = {}
    statement = passages.select().order_by(passages.c.document_id, passages.c.position)
    for row in await knowledge.database.read(lambda connection: connection.execute(statement).fetchall()):
        found.setdefault(row.document_id, []).append(unpack(row.vector))
    return found


class Sharing(WordHashing):
    document_share = 0.25


@pytest.fixture
def embedding() -> WordHashing:
    return Sharing(embedded=[])


async def test_a_passage_has_a_share_of_its_document(
    knowledge: KnowledgeBase, scope: Scope, embedding: WordHashing
) -> None:
    """Of its own alone, however many come in together."""
    await knowledge.put_many([document("a", f"{ONE}{TWO}"), document("b", TWO)], scope)
    for name in ("a", "b"):
        [found] = (await knowledge.list(scope, external_id=name, limit=1)).documents
        own = [text for text in embedding.embedded if f"Page {name}" in text]
        expected = in_document(WordHashing(embedded=[]).embed_passages(own), 0.25)
        assert len(own) > 1
        assert np.allclose(np.stack((await stored(knowledge))[found.id]), expected, atol=2e-3)


async def test_an_update_embeds_the_whole_document_anew(
    knowledge: KnowledgeBase, scope: Scope, embedding: WordHashing
) -> None:
    """What stays was mixed with what is gone."""
    await knowledge.put(document("a", f"{ONE}{TWO}"), scope)
    before = len(embedding.embedded)
    await knowledge.put(document("a", f"{ONE}{TWO}And one sentence more."), scope)
    assert len(embedding.embedded) >= 2 * before


async def test_what_stays_as_it_is_is_not_embedded_again(
    knowledge: KnowledgeBase, scope: Scope, embedding: WordHashing
) -> None:
    """New metadata cost nothing, here too."""
    await knowledge.put(document("a", f"{ONE}{TWO}"), scope)
    [found] = (await knowledge.list(scope, external_id="a", limit=1)).documents
    before, vectors = len(embedding.embedded), await stored(knowledge)
    await knowledge.update(found.id, scope, metadata={"team": "birds"})
    assert len(embedding.embedded) == before
    assert all(map(np.array_equal, (await stored(knowledge))[found.id], vectors[found.id]))


def test_the_share_is_that_of_the_mean() -> None:
    """A quarter of it: right angles become sixty and some degrees; one passage alone stays."""
    vectors = np.eye(2, 3, dtype=np.float32)
    mixed = in_document(vectors, 0.25)
    mean = unit(vectors.mean(axis=0))
    assert np.allclose(mixed, unit(0.75 * vectors + 0.25 * mean))
    assert 0 < mixed[0] @ mixed[1] < 0.5
    assert np.allclose(in_document(vectors[:1], 0.25), vectors[:1])

"""A knowledge base in a fresh folder, with an embedding that costs nothing and still knows which words are shared."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from pipelines.embedding import Embedding, Vectors, unit
from pipelines.knowledge import KnowledgeBase
from pipelines.store.migrate import migrate
from pipelines.types import DocumentStatus, NewDocument, Scope, Vector
from tests.databases import BOTH, Templates, postgres_database

ORGANIZATION, OTHER = UUID(int=0xA), UUID(int=0xB)


class WordHashing(Embedding):
    """Each word adds a fixed random direction: texts that share words are near. Deterministic, no model."""

    def __init__(self, embedded: list[str], name: str = "word-hashing/1") -> None:
        self.embedded = embedded
        self.name = name

    @property
    def dimension(self) -> int:
        return 64

    @property
    def window(self) -> int:
        return 256

    @property
    def fingerprint(self) -> str:
        return self.name

    def count_tokens(self, text: str) -> int:
        return len(text.split()) if text.isascii() else len(text)

    def embed_query(self, text: str) -> Vector:
        directions = [self._direction(word) for word in text.lower().split()] or [np.zeros(64)]
        return unit(np.sum(directions, axis=0))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        return np.stack([self.embed_query(text) for text in texts]) if texts else np.zeros((0, 64), np.float32)

    @staticmethod
    def _direction(word: str) -> Vector:
        seed = int.from_bytes(hashlib.blake2b(word.strip(".,?!").encode("utf-8", "replace"), digest_size=4).digest())
        return np.random.default_rng(seed).normal(size=64).astype(np.float32)


@pytest.fixture
def embedding() -> WordHashing:
    return WordHashing(embedded=[])


@pytest.fixture
def scope() -> Scope:
    return Scope(ORGANIZATION)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Templates]:
    made = Templates(tmp_path_factory.mktemp("templates"), [migrate])
    yield made
    made.close()


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path, templates: Templates) -> Iterator[str]:
    """Of a fresh database of either kind that has the library's tables."""
    with templates.copied(request.param, tmp_path / "test.sqlite3") as url:
        yield url


@pytest.fixture(params=BOTH)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Of a fresh database of either kind that has no tables."""
    with (
        postgres_database() if request.param != "sqlite" else nullcontext(f"sqlite:///{tmp_path}/empty.sqlite3") as url
    ):
        yield url


@pytest.fixture
async def knowledge(tmp_path: Path, embedding: WordHashing, database_url: str) -> AsyncIterator[KnowledgeBase]:
    async with await KnowledgeBase.open(tmp_path, embedding=embedding, database_url=database_url) as opened:
        yield opened


def document(
    external_id: str = "1", content: str = "The blue heron nests by the river.", **other: object
) -> NewDocument:
    values = {"source": "wiki", "title": f"Page {external_id}", **other}
    return NewDocument(external_id=external_id, content=content, **values)  # type: ignore[arg-type]


async def settled(knowledge: KnowledgeBase, scope: Scope) -> None:
    """Returns when nothing is pending; the worker tells nobody."""
    while (await knowledge.list(scope, status=DocumentStatus.PENDING, limit=1)).documents:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)

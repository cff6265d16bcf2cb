"""One contract for Chroma embedded in a folder and Chroma as a server."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from pipelines.errors import IndexUnavailable
from pipelines.store.changes import IndexedPassage, Step
from pipelines.vectors import Chroma, VectorIndex

RNG = np.random.default_rng(5)
VECTORS = RNG.normal(size=(40, 16)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)


def passages(*ids: int, document: int = 1) -> tuple[IndexedPassage, ...]:
    return tuple(
        IndexedPassage(
            id=i,
            document_id=UUID(int=document),
            source="wiki",
            day=date(2026, 1, 1),
            language="en",
            text="",
            context="",
            vector=VECTORS[i],
        )
        for i in ids
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Chroma server on loopback."""
    port = free_port()
    folder = tmp_path_factory.mktemp("chroma-server")
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(200):
        try:
            Chroma(folder, url).close()
            break
        except IndexUnavailable:
            time.sleep(0.1)
    yield url
    process.terminate()
    process.wait(10)


class VectorContract:
    @pytest.fixture
    def chroma(self) -> Chroma:
        raise NotImplementedError

    @pytest.fixture
    def index(self, chroma: Chroma, request: pytest.FixtureRequest) -> VectorIndex:
        return chroma.open(f"kb-{abs(hash(request.node.nodeid))}")

    def test_the_nearest_come_first_with_their_cosines(self, index: VectorIndex) -> None:
        """As an exact search over so few finds them."""
        index.apply(Step(0, 1, (), passages(*range(30))))
        found = index.nearest(VECTORS[35], 10)
        cosines = VECTORS[:30] @ VECTORS[35]
        assert list(found) == np.argsort(-cosines)[:10].tolist()
        np.testing.assert_allclose(list(found.values()), np.sort(cosines)[::-1][:10], atol=1e-5)

    def test_a_repeated_step_changes_nothing(self, index: VectorIndex) -> None:
        """A crash between rows and number repeats a step."""
        step = Step(0, 1, (), passages(1, 2))
        index.apply(step)
        index.apply(step)
        assert index.ids() == {1, 2}

    def test_stale_documents_go(self, index: VectorIndex) -> None:
        """What is held of a changed document is taken out before its new passages come in; the dead are counted."""
        index.apply(Step(0, 2, (), passages(1, 2) + passages(3, document=2)))
        index.apply(Step(2, 3, (UUID(int=1),), passages(4)))
        assert index.ids() == {3, 4}
        assert index.dead == 2

    def test_the_number_is_kept(self, chroma: Chroma, index: VectorIndex) -> None:
        """Opened again it stands where it stood."""
        index.apply(Step(0, 7, (), passages(1)))
        again = chroma.open(index.collection.name)
        assert (again.position(), again.ids()) == (7, {1})

    def test_an_empty_index_has_nothing_near(self, index: VectorIndex) -> None:
        """Position 0, no hits."""
        assert index.position() == 0
        assert index.nearest(VECTORS[0], 5) == {}

    def test_llama_index_reads_it(self, index: VectorIndex) -> None:
        """The collection is one that LlamaIndex's ChromaVectorStore can query."""
        from llama_index.core.vector_stores import VectorStoreQuery
        from llama_index.vector_stores.chroma import ChromaVectorStore

        index.apply(Step(0, 1, (), passages(1, 2, 3)))
        store = ChromaVectorStore(chroma_collection=index.collection)
        result = store.query(VectorStoreQuery(query_embedding=VECTORS[2].tolist(), similarity_top_k=1))
        assert result.ids == ["2"]


class TestEmbedded(VectorContract):
    @pytest.fixture
    def chroma(self, tmp_path: Path) -> Iterator[Chroma]:
        chroma = Chroma(tmp_path)
        yield chroma
        chroma.close()


class TestServer(VectorContract):
    @pytest.fixture
    def chroma(self, tmp_path: Path, server: str) -> Iterator[Chroma]:
        chroma = Chroma(tmp_path, server)
        yield chroma
        chroma.close()

    def test_another_process_follows_on(self, chroma: Chroma, index: VectorIndex) -> None:
        """What one process has followed the other need not: it is seen on refresh."""
        other = chroma.open(index.collection.name)
        index.apply(Step(0, 3, (), passages(1)))
        other.refresh()
        assert other.position() == 3

    async def test_a_server_that_is_down_is_one_refusal(self, tmp_path: Path) -> None:
        """IndexUnavailable, whatever the client raises."""
        with pytest.raises(IndexUnavailable):
            await asyncio.to_thread(Chroma, tmp_path, f"http://127.0.0.1:{free_port()}")

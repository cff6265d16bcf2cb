"""A real server on the loopback interface, its answers scripted."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pipelines.embedding import Embedding, ModelNotUsable, resolve_embedding
from pipelines.errors import IndexUnavailable
from pipelines.llama import LlamaEmbedding
from tests.pipelines.scripted_http import Answer, Server, running


def vectors(request: dict[str, Any]) -> Answer:
    """Each text as (its length, 1, 0)."""
    data = [{"index": at, "embedding": [len(text), 1, 0]} for at, text in enumerate(request["input"])]
    return 200, json.dumps({"object": "list", "model": "m", "data": data}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    with running(vectors) as server:
        yield server


@pytest.fixture
def remote(server: Server, tmp_path: Any) -> Embedding:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return resolve_embedding(data_folder=tmp_path, model="some-model", base_url=url, api_key="secret")


def test_vectors_come_from_the_server(server: Server, remote: Embedding) -> None:
    """Texts go to the server under the model's name with the key, their vectors come back with length 1."""
    assert remote.embed_query("abc") == pytest.approx(np.array([3, 1, 0]) / 10**0.5)
    assert remote.embed_passages(["", "ab"]) == pytest.approx(np.array([[1, 1, 0], [2, 1, 0]]) / [[2**0.5], [5**0.5]])
    assert {request["model"] for request in server.requests} == {"some-model"}
    assert set(server.keys) == {"Bearer secret"}


def test_facts(server: Server, remote: Embedding) -> None:
    """The dimension is asked for once, and the fingerprint says the model's name, not the server's."""
    assert (remote.dimension, remote.dimension) == (3, 3)
    assert len(server.requests) == 1
    assert remote.fingerprint == "openai-like/some-model"
    assert str(server.server_port) not in remote.fingerprint


def test_many_texts_go_in_batches(server: Server, remote: Embedding) -> None:
    """Texts are sent some dozens at a time and their vectors keep the order."""
    texts = ["x" * length for length in range(1, 101)]
    embedded = remote.embed_passages(texts)
    assert embedded[:, 0] / embedded[:, 1] == pytest.approx(range(1, 101), rel=1e-4)
    assert [len(request["input"]) for request in server.requests[:4]] == [32, 32, 32, 4]


def test_a_passing_error_is_tried_again(server: Server, remote: Embedding) -> None:
    """A server that fails once and then answers has answered."""
    server.script = [(500, b"{}")]
    assert remote.embed_query("abc").shape == (3,)
    assert len(server.requests) == 2


def test_a_lasting_error_is_told(server: Server, remote: Embedding) -> None:
    """A server that goes on failing is tried twice, not for ever."""
    server.script = [(500, b"{}")] * 10
    with pytest.raises(IndexUnavailable, match="status 500"):
        remote.embed_passages(["abc"])
    assert len(server.requests) == 2


def test_a_refused_key_is_told(server: Server, remote: Embedding) -> None:
    """A refused key is not tried again, and the refusal does not show it."""
    server.script = [(401, b'{"error": {"message": "bad key secret"}}')]
    with pytest.raises(IndexUnavailable, match="refuses the API key") as refusal:
        remote.embed_query("abc")
    assert "secret" not in str(refusal.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"<html>not json</html>",
        b"{}",
        b"[]",
        b"null",
        b'{"data": []}',
        b'{"data": [{"embedding": "???"}]}',
        b'{"data": [{"embedding": [NaN, 1]}]}',
        b'{"data": [{"embedding": null}]}',
        b'{"data": [{"embedding": [1, 2, 3]}, {"embedding": [1]}]}',
    ],
)
def test_garbage_is_told(server: Server, remote: Embedding, body: bytes) -> None:
    """An answer that holds no embeddings is unavailability, whatever it holds instead."""
    server.script = [(200, body)] * 4
    with pytest.raises(IndexUnavailable, match="holds no embeddings"):
        remote.embed_passages(["abc", "de"])


def test_too_few_vectors_are_told(server: Server, remote: Embedding) -> None:
    """An answer with fewer vectors than texts is refused instead of being attributed to the wrong texts."""
    server.script = [vectors, lambda request: vectors({"input": request["input"][:1]})]
    assert remote.dimension == 3
    with pytest.raises(IndexUnavailable, match="holds no embeddings"):
        remote.embed_passages(["abc", "de"])


def test_a_server_that_is_down_is_told(tmp_path: Any) -> None:
    """A server that is not there is unavailability, soon."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    remote = resolve_embedding(data_folder=tmp_path, model="m", base_url=url)
    with pytest.raises(IndexUnavailable, match="cannot be reached"):
        remote.embed_query("abc")


async def test_asynchronous_calls(remote: Embedding) -> None:
    """LlamaIndex's asynchronous methods give the same vectors."""
    llama = LlamaEmbedding(remote)
    assert await llama.aget_query_embedding("abc") == remote.embed_query("abc").tolist()
    assert await llama.aget_text_embedding_batch(["abc"]) == remote.embed_passages(["abc"]).tolist()


def test_a_model_must_be_named(tmp_path: Any) -> None:
    """A server without a model's name is refused before anything is sent."""
    with pytest.raises(ModelNotUsable, match="name of its model"):
        resolve_embedding(data_folder=tmp_path, base_url="http://127.0.0.1:1/v1")

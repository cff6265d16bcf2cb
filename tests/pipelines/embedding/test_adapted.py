import numpy as np
import pytest
from llama_index.core.embeddings import MockEmbedding

from pipelines.embedding import Embedding, adapt


class CountingEmbedding(MockEmbedding):
    """Vectors of length other than 1, and a count of how often it was asked."""

    asked: int = 0

    def _get_query_embedding(self, query: str) -> list[float]:
        self.asked += 1
        return [3.0, 4.0]


def test_any_llama_index_model_fits() -> None:
    """A LlamaIndex model becomes one of ours with unit vectors, a window and a fingerprint."""
    model = adapt(MockEmbedding(embed_dim=4, model_name="mock"))
    assert isinstance(model, Embedding)
    assert (model.dimension, model.window, model.fingerprint) == (4, 512, "MockEmbedding/mock/4")
    assert model.embed_query("x") == pytest.approx([0.5] * 4)
    assert model.embed_passages(["x", "y", ""]).shape == (3, 4)
    assert model.embed_passages([]).shape == (0, 4)


def test_vectors_are_normalised() -> None:
    """Vectors of any length come back with length 1, a zero vector as it is."""
    assert adapt(CountingEmbedding(embed_dim=2)).embed_query("x") == pytest.approx([0.6, 0.8])


def test_dimension_is_asked_once() -> None:
    """The dimension is found out with one question."""
    inner = CountingEmbedding(embed_dim=2)
    model = adapt(inner)
    assert (model.dimension, model.dimension, model.fingerprint) == (2, 2, "CountingEmbedding/unknown/2")
    assert inner.asked == 1


def test_numbers_that_are_none_are_refused() -> None:
    """A model that returns infinities is an error, not a vector."""

    class Broken(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return [np.inf]

    with pytest.raises(ValueError, match="not finite"):
        adapt(Broken(embed_dim=1)).embed_query("x")


def test_own_models_are_not_wrapped(model: Embedding) -> None:
    """What is one of ours already stays itself."""
    assert adapt(model) is model


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("word", 1), ("words", 2), ("渡轮中午出发", 5)])
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    """Where the tokenizer is not known four bytes of UTF-8 are a token."""
    assert adapt(MockEmbedding(embed_dim=1)).count_tokens(text) == tokens

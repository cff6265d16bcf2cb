"""Any LlamaIndex embedding model as one the library can use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from pipelines.embedding.base import Embedding, Vectors, unit
from pipelines.types import Vector

WINDOW = 512
BYTES_PER_TOKEN = 4


class AdaptedEmbedding(Embedding):
    """Wraps a model that only knows LlamaIndex's methods; its dimension is found out by asking it once."""

    _inner: BaseEmbedding = PrivateAttr()
    _window: int = PrivateAttr()

    def __init__(self, inner: BaseEmbedding, *, window: int = WINDOW) -> None:
        super().__init__(model_name=inner.model_name, embed_batch_size=inner.embed_batch_size)
        self._inner, self._window = inner, window

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @property
    def window(self) -> int:
        return self._window

    @property
    def fingerprint(self) -> str:
        return f"{self._inner.class_name()}/{self.model_name}/{self.dimension}"

    def count_tokens(self, text: str) -> int:
        """A quarter of the UTF-8 bytes, rounded up: the tokenizer is not known."""
        return -(-len(text.encode()) // BYTES_PER_TOKEN)

    def embed_query(self, text: str) -> Vector:
        return _finite_unit(self._inner.get_query_embedding(text))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = self._inner.get_text_embedding_batch(list(texts)) or np.empty((0, self.dimension))
        return _finite_unit(vectors).reshape(len(texts), self.dimension)


def _finite_unit(values: object) -> Vectors:
    vectors = np.array(values, np.float32)
    if not np.isfinite(vectors).all():
        raise ValueError("the embedding model returned numbers that are not finite")
    return unit(vectors)

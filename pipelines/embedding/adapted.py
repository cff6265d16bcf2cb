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


def approximate_tokens(text: str) -> int:
    """Tokens of a text where the tokenizer is not known: a quarter of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


class AdaptedEmbedding(Embedding):
    """Wraps a model that only knows LlamaIndex's methods: its facts are probed when first asked for."""

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
        return approximate_tokens(text)

    def embed_query(self, text: str) -> Vector:
        return unit(np.array(self._inner.get_query_embedding(text), np.float32))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = self._inner.get_text_embedding_batch(list(texts))
        return unit(np.array(vectors, np.float32).reshape(len(texts), self.dimension))

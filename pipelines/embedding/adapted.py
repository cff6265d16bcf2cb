"""Any LlamaIndex embedding model as one the library can use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipelines.embedding.base import Embedding, Vectors, unit
from pipelines.types import Vector

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

WINDOW = 512
BYTES_PER_TOKEN = 4


class AdaptedEmbedding(Embedding):
    """Wraps a model that only knows LlamaIndex's methods; its dimension is found out by asking it once."""

    def __init__(self, inner: BaseEmbedding, *, window: int = WINDOW) -> None:
        self.model_name = inner.model_name
        self._inner, self._window = inner, window

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @property
    def window(self) -> int:
        return self._window

    @property
    def fingerprint(self) -> str:
        return f"{type(self._inner).__name__}/{self.model_name}/{self.dimension}"

    def count_tokens(self, text: str) -> int:
        """A quarter of the UTF-8 bytes, rounded up: the tokenizer is not known."""
        return -(-len(text.encode()) // BYTES_PER_TOKEN)

    def embed_query(self, text: str) -> Vector:
        return _checked(self._inner.get_query_embedding(text))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return _checked(self._inner.get_text_embedding_batch(list(texts))).reshape(len(texts), self.dimension)


def _checked(values: object) -> NDArray[np.float32]:
    vectors = np.array(values, np.float32)
    if not vectors.size or not np.isfinite(vectors).all():
        raise ValueError("the embedding model returned no vectors or numbers that are not finite")
    return unit(vectors)

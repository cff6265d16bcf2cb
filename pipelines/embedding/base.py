"""What the library needs of an embedding model: a LlamaIndex `BaseEmbedding` that says what it is and speaks numpy."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

from pipelines.errors import KnowledgeBaseError
from pipelines.types import Vector

Vectors = NDArray[np.float32]
"""Unit-length embeddings, shape (n, dimension)."""


class ModelNotUsable(KnowledgeBaseError, ValueError):
    """The embedding model asked for is not there, incomplete or of an unsupported kind; the message says which."""


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """The vectors, shape (..., dimension), at length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny), dtype=np.float32)


class Embedding(BaseEmbedding):
    """An embedding model: subclasses give three facts and three methods, LlamaIndex's methods come with them."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    @abstractmethod
    def window(self) -> int:
        """Most tokens of a text that count, special tokens included; what is longer is cut off."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Stable name of model, conversion, pooling and prompts: equal where vectors may be compared."""

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Tokens of the text itself, without special tokens."""

    @abstractmethod
    def embed_query(self, text: str) -> Vector:
        """A question's vector, unit length, shape (dimension,)."""

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The passages' vectors in their order, unit length, shape (n, dimension)."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(self.embed_query(query).tolist())

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return list(self.embed_passages(texts).tolist())

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)

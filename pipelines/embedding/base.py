"""What the library needs of an embedding model: that it says what it is and speaks numpy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
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


def in_document(vectors: Vectors, share: float) -> Vectors:
    """All of one document's vectors, shape (n, dimension), each moved towards their mean; unit length.

    A question in another language shares no word with a passage; that the document is about its subject helps.
    """
    return unit((1 - share) * vectors + share * unit(vectors.mean(axis=0)))


class Embedding(ABC):
    """An embedding model: a name, its languages, four facts and three methods; thread safe.

    No LlamaIndex `BaseEmbedding`, for a service that only answers would wait for LlamaIndex's imports: `adapt` makes
    one of any of those, `pipelines.llama.LlamaEmbedding` goes the other way.
    """

    model_name: str = "unknown"
    languages: frozenset[str] | None = None
    """ISO 639-1 codes of those it was trained in; None where that is not known, or any."""
    document_share: float = 0.0
    """How much of a passage's vector is that of its whole document, 0..1: see `in_document`."""

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

"""Embedding models: the built-in one, folders and hub ids, OpenAI-compatible servers, and any LlamaIndex model."""

from __future__ import annotations

from pathlib import Path

from llama_index.core.base.embeddings.base import BaseEmbedding

from pipelines.embedding.adapted import AdaptedEmbedding
from pipelines.embedding.base import Embedding, ModelNotUsable, Vectors, unit
from pipelines.embedding.minilm import NAME as BUILT_IN
from pipelines.embedding.minilm import load_minilm

__all__ = ["BUILT_IN", "Embedding", "ModelNotUsable", "Vectors", "adapt", "resolve_embedding", "unit"]


def resolve_embedding(
    *, data_folder: Path, model: str | None = None, base_url: str | None = None, api_key: str | None = None
) -> Embedding:
    """The embedding model that is meant: with `base_url` that server's, else the built-in one, a local folder or a hub id.

    Raises ModelNotUsable. The first use of the built-in model converts it (seconds); a hub id is downloaded.
    """
    if model is None or model == BUILT_IN:
        return load_minilm(data_folder)
    raise ModelNotUsable(f"The embedding model {model} is not known.")


def adapt(embedding: BaseEmbedding) -> Embedding:
    """Any LlamaIndex embedding model as one the library can use; its vectors are brought to length 1."""
    return embedding if isinstance(embedding, Embedding) else AdaptedEmbedding(embedding)

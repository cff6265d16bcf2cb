"""Embedding models: the built-in ones, folders and hub ids, OpenAI-compatible servers, and any LlamaIndex model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.embedding.adapted import AdaptedEmbedding
from pipelines.embedding.base import Embedding, ModelNotUsable, Vectors, in_document, unit
from pipelines.embedding.converted import logger
from pipelines.embedding.e5 import E5
from pipelines.embedding.folder import open_folder, open_hub
from pipelines.embedding.minilm import MINILM
from pipelines.embedding.remote import RemoteEmbedding

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

__all__ = ["BUILT_IN", "Embedding", "ModelNotUsable", "Vectors", "adapt", "in_document", "resolve_embedding", "unit"]

BUILT_IN = {model.name: model for model in (MINILM, E5)}


def resolve_embedding(
    *,
    data_folder: Path,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    progress: Callable[[str], None] = logger.info,
) -> Embedding:
    """The model meant: with `base_url` that server's, else a built-in one (MiniLM), else a local folder, else a hub id.

    The first use of a built-in model converts it (seconds); a hub id is downloaded. Raises ModelNotUsable.
    """
    if base_url:
        return _remote(model, base_url, api_key)
    if model is None or model in BUILT_IN:
        return BUILT_IN[model or MINILM.name].load(data_folder, progress)
    folder = Path(model).expanduser()
    return open_folder(folder) if folder.is_dir() else open_hub(model, data_folder)


def _remote(model: str | None, base_url: str, api_key: str | None) -> RemoteEmbedding:
    if not model:
        raise ModelNotUsable("An embedding server needs the name of its model.")
    return RemoteEmbedding(model=model, base_url=base_url, api_key=api_key)


def adapt(embedding: BaseEmbedding | Embedding) -> Embedding:
    """Any LlamaIndex embedding model as one the library can use; its vectors are brought to length 1."""
    return embedding if isinstance(embedding, Embedding) else AdaptedEmbedding(embedding)

"""Rerankers as LlamaIndex's node postprocessors: a server's rerank API, or a cross-encoder in a local folder."""

from __future__ import annotations

from pathlib import Path

from pipelines.reranking.base import Reranker, RerankerNotUsable
from pipelines.reranking.cross_encoder import CrossEncoder
from pipelines.reranking.remote import RemoteReranker

__all__ = ["CrossEncoder", "RemoteReranker", "Reranker", "RerankerNotUsable", "resolve_reranker"]

SECONDS = 3.0


def resolve_reranker(
    *, base_url: str | None = None, model: str | None = None, api_key: str | None = None, timeout: float = SECONDS
) -> Reranker | None:
    """With `base_url` that server's, else the cross-encoder in the folder `model`, else none. Raises RerankerNotUsable.

    A question waits at most `timeout` seconds for it.
    """
    if base_url:
        return RemoteReranker(base_url=base_url, model=model, api_key=api_key, timeout=timeout)
    return CrossEncoder(Path(model).expanduser(), timeout=timeout) if model else None

"""Reranking on a server: the API that Cohere, Jina, vLLM and others share, and text-embeddings-inference's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
from pydantic import PrivateAttr

from pipelines.reranking.base import NoScores, Reranker

PATH = "/rerank"


class RemoteReranker(Reranker):
    """`base_url` with or without its `/rerank`; without a `model` the server is text-embeddings-inference.

    Asked for all scores: `top_n` is called differently by some.
    """

    _url: str = PrivateAttr()
    _model: str | None = PrivateAttr()
    _client: httpx.AsyncClient = PrivateAttr()

    def __init__(self, *, base_url: str, timeout: float, model: str | None = None, api_key: str | None = None) -> None:
        super().__init__(timeout=timeout)
        self._url = base_url.rstrip("/").removesuffix(PATH) + PATH
        self._model = model
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout)

    async def scores(self, question: str, texts: Sequence[str]) -> dict[int, float]:
        asked = {"model": self._model, "documents": texts} if self._model else {"texts": texts, "truncate": True}
        response = await self._client.post(self._url, json={"query": question, **asked})
        response.raise_for_status()
        return _scores(response.json())

    async def aclose(self) -> None:
        await self._client.aclose()


def _scores(said: Any) -> dict[int, float]:
    """Raises NoScores, or what reading something else raises."""
    rows = said if isinstance(said, list) else said.get("results", said.get("data"))
    scores = {int(row["index"]): float(row["relevance_score" if "relevance_score" in row else "score"]) for row in rows}
    if len(scores) < len(rows):
        raise NoScores
    return scores

"""Questions' vectors: made beside what else there is to do for a question, and kept for when it is asked again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from uuid import UUID

from pipelines.embedding import Embedding
from pipelines.lru_cache import LruCache
from pipelines.types import Vector

REMEMBERED = 2048
"""Questions whose vectors are kept: the same ones are asked again and again."""


class QuestionVectors:
    """Kept by organization, too: how quickly one is answered tells nothing of what another has asked."""

    def __init__(self, embedding: Embedding, threads: int, remembered: int = REMEMBERED) -> None:
        self._embedding = embedding
        self._pool = ThreadPoolExecutor(threads, "embed-question")
        self._known: LruCache[tuple[UUID, str], Vector] = LruCache(remembered)
        self._lock = Lock()

    def begin(self, organization_id: UUID, question: str) -> Callable[[], Vector]:
        """What is returned waits for the vector, or makes it itself if nobody has begun: all cores are busy.

        It raises what the embedding model raises.
        """
        key = (organization_id, question)
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return lambda: known
        begun = self._pool.submit(self._embed, key)
        return lambda: self._embed(key) if begun.cancel() else begun.result()

    def _embed(self, key: tuple[UUID, str]) -> Vector:
        vector = self._embedding.embed_query(key[1])
        vector.flags.writeable = False
        with self._lock:
            self._known.put(key, vector)
        return vector

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

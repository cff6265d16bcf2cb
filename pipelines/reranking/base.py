"""What all rerankers share: what is scored, how long it may take, and what a new order does to what was found."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import Sequence
from math import isfinite

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from pipelines.errors import KnowledgeBaseError

logger = logging.getLogger(__name__)

MOST = 50
"""Passages that are scored; those behind them stay behind."""
AT_ONCE = 8
PAUSE = 5.0
"""Seconds after a failure in which it is not asked: no question is to wait in vain again and again."""


class RerankerNotUsable(KnowledgeBaseError, ValueError):
    """The reranker asked for is not there or of an unsupported kind; the message says which."""


class NoScores(Exception):
    """What came back are no scores."""


class Reranker(BaseNodePostprocessor):
    """Brings the best passages into the order of its scores; when it fails, they stay as they are.

    Scores are only ranks here: the place, not the passage, keeps its fused score. So scores mean what they always do,
    and cosines and BM25, by which an answer is judged, are what they were.
    """

    timeout: float
    failures: int = 0
    """Questions whose order was left as it was."""
    _places: asyncio.Semaphore = PrivateAttr(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _away_until: float = PrivateAttr(default=0.0)

    @abstractmethod
    async def scores(self, question: str, texts: Sequence[str]) -> dict[int, float]:
        """The higher the better, by place in `texts`. What is left out is ranked last. May raise anything."""

    async def aclose(self) -> None:
        """Lets go of what it holds."""

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not query_bundle or len(nodes) < 2:
            return nodes
        scores = await self._scores_in_time(query_bundle.query_str, nodes[:MOST])
        order = sorted(range(len(nodes)), key=lambda place: -scores.get(place, float("-inf")))
        return [
            NodeWithScore(node=nodes[place].node, score=kept.score) for place, kept in zip(order, nodes, strict=True)
        ]

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        raise RuntimeError("this reranker is asynchronous: apostprocess_nodes")

    async def _scores_in_time(self, question: str, nodes: Sequence[NodeWithScore]) -> dict[int, float]:
        """None at all where it failed, or rests after a failure."""
        if time.monotonic() < self._away_until:
            self.failures += 1
            return {}
        by = asyncio.get_running_loop().time() + self.timeout
        try:
            async with asyncio.timeout_at(by):
                await self._places.acquire()
        except TimeoutError:  # it has too much to do, which is no failure
            self.failures += 1
            return {}
        try:
            async with asyncio.timeout_at(by):
                return _checked(await self.scores(question, [_text(node) for node in nodes]), len(nodes))
        except Exception as error:  # noqa: BLE001 - whatever it is, the question has its fused order
            self.failures += 1
            self._away_until = time.monotonic() + PAUSE
            logger.warning("reranker: %s; the fused order counts (%d so far)", type(error).__name__, self.failures)
            return {}
        finally:
            self._places.release()


def _checked(scores: dict[int, float], count: int) -> dict[int, float]:
    if not scores or not all(0 <= place < count and isfinite(score) for place, score in scores.items()):
        raise NoScores
    return scores


def _text(node: NodeWithScore) -> str:
    """What is searched of a passage: its headings and itself."""
    return f"{node.node.metadata.get('context', '')}\n{node.text}".strip()

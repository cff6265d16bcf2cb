"""Parts of the library replaced for measuring, by the same doors that anybody has."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode, TransformComponent

from pipelines.embedding import Embedding, Vectors, unit
from pipelines.types import Vector


class Wrapped(Embedding):
    """Another model under its own name."""

    def __init__(self, inner: Embedding) -> None:
        self.model_name, self.languages = inner.model_name, inner.languages
        self.document_share = inner.document_share
        self._inner = inner

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def window(self) -> int:
        return self._inner.window

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._inner.embed_passages(texts)


class RandomPassages(Wrapped):
    """Questions are embedded by the model; passages get unit vectors at random, which costs next to nothing."""

    def __init__(self, inner: Embedding, seed: int) -> None:
        super().__init__(inner)
        self._random = np.random.default_rng(seed)

    @property
    def fingerprint(self) -> str:
        return f"random/{self.dimension}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return unit(self._random.standard_normal((len(texts), self.dimension), dtype=np.float32))


class Recording(Wrapped):
    """Notes what it embedded."""

    def __init__(self, inner: Embedding) -> None:
        super().__init__(inner)
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        return super().embed_passages(texts)


class ParagraphSplitter(TransformComponent):
    """A passage a paragraph."""

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        return [passage for node in nodes for passage in self._split(node)]

    @staticmethod
    def _split(document: BaseNode) -> list[BaseNode]:
        passages: list[BaseNode] = []
        start = 0
        for text in document.get_content().split("\n\n"):
            node = TextNode(text=text, metadata=dict(document.metadata), start_char_idx=start)
            node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document.node_id)
            passages.append(node)
            start += len(text) + 2
        return passages


def milliseconds(started: float) -> float:
    return 1000 * (time.perf_counter() - started)

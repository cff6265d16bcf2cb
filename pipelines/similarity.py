"""Cosines of unit vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipelines.types import Vector


def cosines(vectors: NDArray[np.float32], vector: Vector) -> NDArray[np.float32]:
    """Of each of the vectors, shape (n, dimension), with one: shape (n,).

    Not by BLAS, which spreads so little work over threads that wait for each other on a busy machine: 18 ms for 4,000
    rows instead of .2.
    """
    return np.asarray(np.einsum("ij,j->i", vectors, vector))

"""Does a confidence mean what it says? Its diagram, and what chance alone would show."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from eval.metrics import BINS

DRAWS = 1000

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of neighbouring confidence: what was said of them, and what share was right, with its 95 % interval."""

    count: int
    lowest: float
    highest: float
    confidence: float
    right: float
    low: float
    high: float


def _starts(count: int) -> NDArray[np.intp]:
    """Where bins of equal mass begin; fewer than BINS where there are fewer values."""
    sizes = [len(part) for part in np.array_split(np.arange(count), min(BINS, count))]
    return np.cumsum([0, *sizes[:-1]])


def perfect_error(confidence: Array, seed: int = 0) -> float:
    """The ECE that would be seen, on the mean, if each confidence were exactly the probability of being right."""
    if not confidence.size:
        return float("nan")
    ordered = np.sort(confidence)
    drawn = np.random.default_rng(seed).random((DRAWS, len(ordered))) < ordered
    gaps = np.add.reduceat(ordered - drawn, _starts(len(ordered)), axis=1)
    return float(np.abs(gaps).sum(axis=1).mean() / len(ordered))


def diagram(confidence: Array, right: Array) -> list[Bin]:
    """The bins of the ECE, lowest confidence first."""
    if not confidence.size:
        return []
    order = np.argsort(confidence, kind="stable")
    parts = np.array_split(order, min(BINS, len(order)))
    return [_bin(confidence[part], right[part]) for part in parts]


def _bin(confidence: Array, right: Array) -> Bin:
    share = float(right.mean())
    low, high = wilson(share, len(right))
    lowest, highest = float(confidence.min()), float(confidence.max())
    return Bin(len(right), lowest, highest, float(confidence.mean()), share, low, high)


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)

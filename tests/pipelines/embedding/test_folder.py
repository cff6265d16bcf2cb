"""Tiny models: token vectors are rows of a table, which makes every pooling easy to compute by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from pipelines.embedding import Embedding, ModelNotUsable, resolve_embedding

WORDS = ["[UNK]", "[CLS]", "[SEP]", "red", "green", "blue", "query:", "passage:"]
TABLE = np.array([[1, 1], [2, 0], [0, 3], [4, 1], [-1, 5], [2, 2], [7, 0], [0, 9]], np.float32)


def write_tokenizer(path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = [("[CLS]", 1), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    tokenizer.enable_padding(length=32)
    tokenizer.save(str(path))


def write_graph(path: Path, inputs: list[str]) -> None:
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", [inputs[-1]], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "last"], ["column"]),
        helper.make_node("Mul", ["column", "zero"], ["nothing"]),
        helper.make_node("Add", ["rows", "nothing"], ["last_hidden_state"]),
    ]
    constants = [numpy_helper.from_array(TABLE, "table"), numpy_helper.from_array(np.array([2]), "last")]
    constants.append(numpy_helper.from_array(np.zeros(1, np.float32), "zero"))
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 2])
    graph = helper.make_graph(nodes, "tiny", ids, [output], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def publish(folder: Path, *, pooling: dict[str, Any], normalize: bool = True, **files: Any) -> Path:
    """A folder as sentence-transformers saves it; `files` are further JSON files by their stem."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    write_graph(folder / "onnx/model.onnx", ["input_ids", "attention_mask", "token_type_ids"])
    write_tokenizer(folder / "tokenizer.json")
    modules = {"": "models.Transformer", "1_Pooling": "models.Pooling", "2_Normalize": "models.Normalize"}
    named = [{"path": path, "type": f"sentence_transformers.{kind}"} for path, kind in modules.items()]
    files["modules"] = named if normalize else named[:2]
    files["1_Pooling/config"] = pooling
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def opened(folder: Path) -> Embedding:
    return resolve_embedding(data_folder=folder, model=str(folder))


def unit(*vector: float) -> Any:
    return pytest.approx(np.array(vector) / np.linalg.norm(vector), abs=1e-6)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, (5 / 4, 9 / 4)),
        ({"pooling_mode_cls_token": True}, (2, 0)),
        ({"pooling_mode_max_tokens": True}, (4, 5)),
        ({"pooling_mode_lasttoken": True}, (0, 3)),
        ({"pooling_mode": "mean"}, (5 / 4, 9 / 4)),
        ({"pooling_mode": ["cls"]}, (2, 0)),
    ],
)
def test_pooling(tmp_path: Path, pooling: dict[str, Any], expected: tuple[float, float]) -> None:
    """Token vectors are pooled as the folder says, in the older and the newer way of saying it."""
    model = opened(publish(tmp_path / "tiny", pooling=pooling))
    assert model.embed_query("red green") == unit(*expected)
    assert model.embed_passages(["red green", ""])[0] == unit(*expected)


def test_prompts(tmp_path: Path) -> None:
    """Questions and passages are embedded behind their prompts, and the window leaves room for the passages'."""
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    folder = publish(tmp_path, pooling={"pooling_mode": "mean"}, config_sentence_transformers=prompts)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 5}')
    model = opened(folder)
    assert model.embed_query("red") == unit(2 + 7 + 4, 3 + 1)
    assert model.embed_passages(["red"])[0] == unit(2 + 4, 9 + 3 + 1)
    assert (model.window, model.count_tokens("red green")) == (4, 2)
    assert np.array_equal(model.embed_passages(["red green blue"]), model.embed_passages(["red green"]))


def test_without_normalize_module(tmp_path: Path) -> None:
    """A folder without a Normalize module gives unit vectors all the same."""
    model = opened(publish(tmp_path, pooling={"pooling_mode": "cls"}, normalize=False))
    assert model.embed_query("red") == unit(1, 0)


@pytest.mark.parametrize(
    ("files", "window"),
    [
        ({}, 512),
        ({"config": {"max_position_embeddings": 40}}, 40),
        ({"config": {"max_position_embeddings": 40}, "tokenizer_config": {"model_max_length": 30}}, 30),
        ({"config": {"max_position_embeddings": 40}, "sentence_bert_config": {"max_seq_length": 20}}, 20),
    ],
)
def test_window(tmp_path: Path, files: dict[str, Any], window: int) -> None:
    """The window is sentence-transformers' own setting, else the smaller of the tokenizer's and the graph's."""
    assert opened(publish(tmp_path, pooling={"pooling_mode": "cls"}, **files)).window == window


def test_fingerprint(tmp_path: Path) -> None:
    """Two copies of a model have one fingerprint; another pooling or prompt makes it another."""

    def fingerprint(place: str, mode: str, **files: Any) -> str:
        return opened(publish(tmp_path / place / "tiny", pooling={"pooling_mode": mode}, **files)).fingerprint

    prompts = {"prompts": {"query": "query: "}}
    assert fingerprint("a", "mean") == fingerprint("b", "mean")
    others = {fingerprint("c", "cls"), fingerprint("d", "mean", config_sentence_transformers=prompts)}
    assert len(others | {opened(tmp_path / "a" / "tiny").fingerprint}) == 3
    assert opened(tmp_path / "a" / "tiny").fingerprint.startswith("tiny/")


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "tokenizer.json", "modules.json", "1_Pooling/config.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """A folder without a file that is needed is refused with the file's name and the folder's whole path."""
    folder = publish(tmp_path, pooling={"pooling_mode": "mean"})
    (folder / missing).unlink()
    with pytest.raises(ModelNotUsable, match=f"folder {tmp_path} has no {missing}"):
        opened(folder)


@pytest.mark.parametrize(
    ("pooling", "sentence"),
    [
        ({"pooling_mode": "weightedmean"}, "pooling is not supported: weightedmean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, "cls and mean"),
        ({}, "none"),
    ],
)
def test_other_poolings_are_refused(tmp_path: Path, pooling: dict[str, Any], sentence: str) -> None:
    """A pooling that is not supported is refused by its name, not replaced by another."""
    with pytest.raises(ModelNotUsable, match=sentence):
        opened(publish(tmp_path, pooling=pooling))


def test_other_modules_are_refused(tmp_path: Path) -> None:
    """A model with a module that would be left out is refused."""
    folder = publish(tmp_path, pooling={"pooling_mode": "mean"})
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, {"path": "3_Dense", "type": "x.models.Dense"}]))
    with pytest.raises(ModelNotUsable, match="Dense"):
        opened(folder)


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    """A graph that asks for an input we do not know is refused with the input's name."""
    folder = publish(tmp_path, pooling={"pooling_mode": "mean"})
    write_graph(folder / "onnx/model.onnx", ["input_ids", "past_key_values"])
    with pytest.raises(ModelNotUsable, match="past_key_values"):
        opened(folder)


def test_broken_json_is_told(tmp_path: Path) -> None:
    """A file that is not JSON is refused by its name."""
    folder = publish(tmp_path, pooling={"pooling_mode": "mean"})
    (folder / "modules.json").write_text("[")
    with pytest.raises(ModelNotUsable, match=r"modules\.json is not JSON"):
        opened(folder)


@pytest.mark.parametrize("name", ["no-such-org/no-such-model", "./no/such/folder", "a b"])
def test_an_unknown_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What is no folder and cannot be downloaded is refused in one sentence with its name."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelNotUsable, match=f"The embedding model {name} is neither"):
        resolve_embedding(data_folder=tmp_path, model=name)


def test_a_downloaded_model_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub id is downloaded into the data folder and used under its own name."""
    folder = publish(tmp_path / "snapshot", pooling={"pooling_mode": "cls"})
    asked: dict[str, Any] = {}

    def download(model: str, **options: Any) -> str:
        asked.update(options, model=model)
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    model = resolve_embedding(data_folder=tmp_path, model="some/model")
    assert (asked["model"], asked["cache_dir"]) == ("some/model", tmp_path / "models" / "hub")
    assert model.fingerprint.startswith("some/model/")
    assert model.embed_query("red") == unit(1, 0)

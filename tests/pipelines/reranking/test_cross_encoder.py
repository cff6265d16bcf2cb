"""A tiny cross-encoder: its logit is how often the passage says "blue", less what the question says of it."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from pipelines.nodes import to_node
from pipelines.reranking import Reranker, RerankerNotUsable, resolve_reranker
from tests.pipelines.answering.retrievals import hit

WORDS = ["[UNK]", "[CLS]", "[SEP]", "blue"]
WEIGHTS = np.array([0, 0, 0, 1], np.float32)


def publish(folder: Path, *, figures: int = 1, extra: str | None = None) -> Path:
    """As sentence-transformers saves one: graph and tokenizer."""
    (folder / "onnx").mkdir(parents=True)
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    names = ["input_ids", "attention_mask", "token_type_ids", *([extra] if extra else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["said"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["said", "second"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["logit"], keepdims=1),
        helper.make_node("Expand", ["logit", "shape"], ["logits"]),
    ]
    constants = [
        numpy_helper.from_array(WEIGHTS, "weights"),
        numpy_helper.from_array(np.array([1]), "axis"),
        numpy_helper.from_array(np.array([1, figures]), "shape"),
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", figures])
    graph = helper.make_graph(nodes, "tiny", inputs, [output], constants)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "onnx/model.onnx"
    )
    return folder


def opened(folder: Path) -> Reranker:
    reranker = resolve_reranker(model=str(folder))
    assert reranker is not None
    return reranker


async def test_the_graph_reads_question_and_passage_together(tmp_path: Path) -> None:
    """The passage as the second text: what the question says does not count here."""
    texts = ["red", "blue blue", "blue"]
    nodes = [to_node(hit(text, at, score=1 - at / 10)) for at, text in enumerate(texts)]
    reranker = opened(publish(tmp_path))
    reranked = await reranker.apostprocess_nodes(nodes, QueryBundle("blue blue blue"))
    assert [(node.node_id, node.score) for node in reranked] == [("1", 1.0), ("2", 0.9), ("0", 0.8)]
    assert reranker.failures == 0


async def test_what_is_too_long_is_cut(tmp_path: Path) -> None:
    """At the model's own length, so that no passage is refused by the graph."""
    folder = publish(tmp_path)
    (folder / "config.json").write_text('{"max_position_embeddings": 16}')
    assert await opened(folder).scores("red", ["blue " * 100, "blue"]) == {0: 12.0, 1: 1.0}


async def test_a_graph_that_fails_leaves_the_order(
    tmp_path: Path, nodes: list[NodeWithScore], question: QueryBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker = opened(publish(tmp_path))

    def broken(*_: Any) -> float:
        raise RuntimeError

    monkeypatch.setattr(type(reranker), "_score", broken)
    assert await reranker.apostprocess_nodes(nodes, question) == nodes
    assert reranker.failures == 1


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    folder = publish(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(RerankerNotUsable, match=f"folder {tmp_path} has no .*{missing}"):
        opened(folder)


def test_what_is_no_cross_encoder_is_refused(tmp_path: Path) -> None:
    """A classifier of several labels, a graph that wants something else, a file that is no graph, no folder at all."""
    (broken := publish(tmp_path / "c")).joinpath("onnx/model.onnx").write_bytes(b"nothing")
    folders = {
        publish(tmp_path / "a", figures=3): "3 figures",
        publish(tmp_path / "b", extra="images"): "images",
        broken: "cannot be used",
        tmp_path / "nowhere": "nowhere has no",
    }
    for folder, told in folders.items():
        with pytest.raises(RerankerNotUsable, match=told):
            opened(folder)


def test_without_settings_there_is_none() -> None:
    assert resolve_reranker() is None

"""The ONNX graph of a BERT encoder, written out by hand for ONNX Runtime's fast CPU kernels.

Input `input_ids` (rows of equal length, so no mask). Output `sentence_embedding`: mean of the tokens, projected where
the weights have a projection, unit length. With a classifier among the weights a row is a pair of texts, and the output
is `log_odds`, one figure a row, read off its first token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
Arrays = Mapping[str, Array]

WORDS = "embeddings.word_embeddings"
PROJECTION = "projection"
CLASSIFIER = "classifier"
SEPARATOR = 102
"""The token `[SEP]` that ends each text of a pair."""
BLOCK = 32
"""Numbers of a row in 4 bits that share a scale."""

HEADS = 12
EPSILON = 1e-12
OPSETS = {"": 20, "com.microsoft": 1}

# Where activations enter linear layers, and the layers that share them; names continue "encoder.layer.<n>.".
SITES = {
    "attention.self": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output": ("attention.output.dense",),
    "intermediate": ("intermediate.dense",),
    "output": ("output.dense",),
}


def oriented(checkpoint: Arrays) -> dict[str, Array]:
    """The checkpoint with linear weights turned from PyTorch's (outputs, inputs) to ONNX's (inputs, outputs)."""
    linear = tuple(f"{layer}.weight" for layers in SITES.values() for layer in layers)
    return {name: array.T.copy() if name.endswith(linear) else array for name, array in checkpoint.items()}


def layers(weights: Arrays) -> list[str]:
    """The prefix of each layer's names, in order."""
    count = sum(name.endswith("attention.self.query.weight") for name in weights)
    return [f"encoder.layer.{index}." for index in range(count)]


def build_graph(weights: Arrays, divisors: Arrays | None = None, *, observe: bool = False) -> onnx.ModelProto:
    """The encoder of `weights` (oriented), its activations divided by `divisors` at the sites named there.

    With `observe`, the activations at every site are outputs too, named as the site.
    """
    return _Encoder(weights, divisors or {}).build(observe)


class _Encoder:
    def __init__(self, weights: Arrays, divisors: Arrays) -> None:
        self.weights, self.divisors = weights, divisors
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.sites: dict[str, str] = {}

    def build(self, observe: bool) -> onnx.ModelProto:
        x = self.embeddings()
        for layer in layers(self.weights):
            x = self.feed_forward(layer, self.attention(layer, x))
        output = self.log_odds(x) if self.is_classifier else self.sentence_embedding(x)
        return self.model([output, *(self.observed() if observe else [])])

    @property
    def is_classifier(self) -> bool:
        return f"{CLASSIFIER}.weight" in self.weights

    def sentence_embedding(self, x: str) -> onnx.ValueInfoProto:
        x = self.op("ReduceMean", x, self.constant("token_axis", np.array([1], np.int64)), keepdims=0)
        if PROJECTION in self.weights:  # neither MatMul nor Gemm: those become integers
            x = self.op("FusedMatMul", x, self.weight(PROJECTION), domain="com.microsoft")
        self.op("LpNormalization", x, axis=-1, p=2, output="sentence_embedding")
        width = self.weights["embeddings.LayerNorm.weight"].size
        return helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["rows", width])

    def log_odds(self, x: str) -> onnx.ValueInfoProto:
        first = self.op("Gather", x, self.constant("first", np.array(0, np.int64)), axis=1)
        weight = self.op("FusedMatMul", first, self.weight(f"{CLASSIFIER}.weight"), domain="com.microsoft")
        self.op("Add", weight, self.weight(f"{CLASSIFIER}.bias"), output="log_odds")
        return helper.make_tensor_value_info("log_odds", TensorProto.FLOAT, ["rows", 1])

    def observed(self) -> list[onnx.ValueInfoProto]:
        names = [self.op("Identity", x, output=site) for site, x in self.sites.items()]
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]

    def model(self, outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["rows", "tokens"])
        graph = helper.make_graph(self.nodes, "sentence_encoder", [ids], outputs, self.constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def embeddings(self) -> str:
        words = self.words()
        types = self.weights["embeddings.token_type_embeddings.weight"]
        positions = self.constant("positions", self.weights["embeddings.position_embeddings.weight"] + types[0])
        if self.is_classifier:
            words = self.op("Add", words, self.second_text(types))
        zero, one, two = (self.constant(f"int_{value}", np.array([value], np.int64)) for value in range(3))
        length = self.op("Slice", self.op("Shape", "input_ids"), one, two)
        return self.norm("embeddings", self.op("Add", words, self.op("Slice", positions, zero, length)))

    def second_text(self, types: NDArray[Any]) -> str:
        """What the tokens behind the first separator have beside the others."""
        separators = self.op("Equal", "input_ids", self.constant("separator", np.array(SEPARATOR, np.int64)))
        axis = self.constant("along_tokens", np.array(1, np.int64))
        before = self.op("CumSum", self.op("Cast", separators, to=TensorProto.INT32), axis, exclusive=1)
        behind = self.op("Cast", self.op("Cast", before, to=TensorProto.BOOL), to=TensorProto.FLOAT)
        column = self.op("Unsqueeze", behind, self.constant("last_axis", np.array([-1], np.int64)))
        return self.op("Mul", column, self.constant("second_text", types[1] - types[0]))

    def words(self) -> str:
        """From a table of floats, or of 4-bit integers with scales."""
        if f"{WORDS}.weight" in self.weights:
            return self.op("Gather", self.weight(f"{WORDS}.weight"), "input_ids")
        nibbles = self.weights[f"{WORDS}.nibbles"]
        shape = [len(nibbles), 2 * nibbles.shape[1]]
        table = helper.make_tensor(WORDS, TensorProto.INT4, shape, nibbles.tobytes(), raw=True)
        self.constants.append(table)
        inputs = [WORDS, "input_ids", self.weight(f"{WORDS}.scales")]
        return self.op("GatherBlockQuantized", *inputs, domain="com.microsoft", block_size=BLOCK, quantize_axis=1)

    def attention(self, layer: str, x: str) -> str:
        entry = self.site(layer, "attention.self", x)
        heads = [self.linear(layer + name, entry) for name in SITES["attention.self"]]
        mixed = self.op("MultiHeadAttention", *heads, domain="com.microsoft", num_heads=HEADS)
        entry = self.site(layer, "attention.output", mixed)
        output = self.linear(f"{layer}attention.output.dense", entry)
        return self.norm(f"{layer}attention.output", self.op("Add", output, x))

    def feed_forward(self, layer: str, x: str) -> str:
        hidden = self.linear(f"{layer}intermediate.dense", self.site(layer, "intermediate", x))
        entry = self.site(layer, "output", self.op("Gelu", hidden))
        return self.norm(f"{layer}output", self.op("Add", self.linear(f"{layer}output.dense", entry), x))

    def site(self, layer: str, name: str, x: str) -> str:
        site = layer + name
        self.sites[site] = x
        if site not in self.divisors:
            return x
        return self.op("Mul", x, self.constant(f"{site}.factor", 1 / self.divisors[site]))

    def linear(self, name: str, x: str) -> str:
        return self.op("Add", self.op("MatMul", x, self.weight(f"{name}.weight")), self.weight(f"{name}.bias"))

    def norm(self, owner: str, x: str) -> str:
        scale, bias = (self.weight(f"{owner}.LayerNorm.{part}") for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def op(self, kind: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any) -> str:
        name = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def constant(self, name: str, array: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(array, name))
        return name

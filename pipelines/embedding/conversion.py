"""From published weights to the int8 graph; imported only while converting, as `onnx` and the quantiser are heavy."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import onnx
from onnx import helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

from pipelines.embedding.calibration import TEXTS
from pipelines.embedding.graph import Array, build_graph, oriented
from pipelines.embedding.onnx_model import open_tokenizer
from pipelines.embedding.smoothing import activation_peaks, smoothed


def read_checkpoint(safetensors: Path) -> dict[str, Array]:
    """A BERT checkpoint's weights as they were published."""
    return load_file(safetensors)


def read_weights(safetensors: Path) -> dict[str, Array]:
    """A BERT checkpoint's weights, linear ones as (inputs, outputs)."""
    return oriented(read_checkpoint(safetensors))


def smoothed_graph(weights: dict[str, Array], sequences: list[list[int]]) -> onnx.ModelProto:
    """The encoder in float32, its activation outliers, seen on sequences of token ids, moved into the weights."""
    return build_graph(*smoothed(weights, activation_peaks(weights, sequences)))


def calibration_sequences(tokenizer: Path, window: int) -> list[list[int]]:
    """Token ids of each calibration text, and of all of them in a row, cut into windows."""
    cutting = open_tokenizer(tokenizer)
    cutting.enable_truncation(window)
    row = cutting.encode("\n".join(TEXTS))
    return [encoding.ids for encoding in (*cutting.encode_batch(TEXTS), row, *row.overflowing)]


def calibration_pairs(tokenizer: Path, window: int) -> list[list[int]]:
    """Token ids of each calibration text behind the beginning of the one before it."""
    cutting = open_tokenizer(tokenizer)
    cutting.enable_truncation(window, strategy="only_second")
    return [cutting.encode(first[:80], second).ids for first, second in pairwise(TEXTS)]


def write_int8(model: onnx.ModelProto, target: Path) -> None:
    """Write the model with int8 matrices and word table."""
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})  # else: advice on the root logger
    quantize_dynamic(
        model,
        target,
        op_types_to_quantize=["MatMul", "Gather"],
        per_channel=True,
        # Without VNNI the kernels saturate at times: cosine to float32 .996 instead of .998 (measured, Haswell).
        # 7-bit weights would not, but cost as much on every CPU.
        reduce_range=False,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )

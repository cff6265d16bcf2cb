"""From published weights to the int8 graph; imported only while converting, as `onnx` and the quantiser are heavy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
from onnx import helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

from pipelines.embedding.calibration import TEXTS
from pipelines.embedding.graph import Array, build_graph, oriented
from pipelines.embedding.smoothing import activation_peaks, smoothed


def read_weights(safetensors: Path) -> dict[str, Array]:
    """A BERT checkpoint's weights, linear ones as (inputs, outputs)."""
    return oriented(load_file(safetensors))


def smoothed_graph(weights: dict[str, Array], tokenizer: Any, window: int) -> onnx.ModelProto:
    """The encoder in float32, its activation outliers moved into the weights."""
    sequences = [tokenizer.encode(text).ids[:window] for text in TEXTS]
    return build_graph(*smoothed(weights, activation_peaks(weights, sequences)))


def write_int8(safetensors: Path, tokenizer: Any, target: Path, window: int) -> None:
    """Convert the checkpoint to an ONNX file with 8-bit integer weights."""
    quantise(smoothed_graph(read_weights(safetensors), tokenizer, window), target)


def quantise(model: onnx.ModelProto, target: Path, *, reduce_range: bool = False) -> None:
    """Write the model with int8 matrices and word table.

    `reduce_range`: 7-bit weights
    """
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})  # else: advice on the root logger
    quantize_dynamic(
        model,
        target,
        op_types_to_quantize=["MatMul", "Gather"],
        per_channel=True,
        reduce_range=reduce_range,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )

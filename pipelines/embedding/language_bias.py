"""Takes the language out of sentence vectors: else what is in the question's own language comes first.

Language Information Removal (Yang, Yang, Cer, Law, Darve 2021), the languages' mean vectors taken over parallel texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pipelines.embedding.graph import Array, Arrays, build_graph
from pipelines.embedding.onnx_model import open_session

Tokenize = Callable[[str], list[int]]


def language_free(weights: Arrays, tokenize: Tokenize, parallel: Mapping[str, Sequence[str]]) -> Array:
    """The projection, shape (width, width), of the encoder's vectors to where the languages' means do not differ."""
    session = open_session(build_graph(weights).SerializeToString())
    means = np.array(
        [
            np.mean([session.run(None, {"input_ids": [tokenize(text)]})[0][0] for text in texts], axis=0)
            for texts in parallel.values()
        ]
    )
    _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    bias = directions[:-1]  # so many differences as there are languages less one
    return np.asarray(np.eye(means.shape[1]) - bias.T @ bias, np.float32)

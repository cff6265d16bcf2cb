"""Takes the language out of sentence vectors: else what is in the question's own language comes first.

Language Information Removal (Yang, Yang, Cer, Law, Darve 2021), the languages' mean vectors taken over parallel texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pipelines.embedding.graph import Array, Arrays, build_graph
from pipelines.embedding.onnx_model import open_session


def language_free(weights: Arrays, parallel: Mapping[str, Sequence[list[int]]]) -> Array:
    """The projection, shape (width, width), of the encoder's vectors to where the languages' means do not differ.

    `parallel`: the token ids of the same texts, by language.
    """
    session = open_session(build_graph(weights).SerializeToString())
    means = np.array(
        [
            np.mean([session.run(None, {"input_ids": [ids]})[0][0] for ids in texts], axis=0)
            for texts in parallel.values()
        ]
    )
    _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    bias = directions[:-1]  # so many differences as there are languages less one
    return np.asarray(np.eye(means.shape[1]) - bias.T @ bias, np.float32)

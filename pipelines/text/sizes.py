"""How large passages are: what can be said of a splitter without importing LlamaIndex."""

from __future__ import annotations

from dataclasses import dataclass

TARGET_TOKENS = 112


@dataclass(frozen=True, slots=True)
class PassageSize:
    """`target_tokens` are wished for in a passage's text, `overlap` sentences of the one before are repeated."""

    target_tokens: int = TARGET_TOKENS
    overlap: int = 0

    @property
    def name(self) -> str:
        """Kept with the documents that were cut so."""
        return f"{self.target_tokens}/{self.overlap}"

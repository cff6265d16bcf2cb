"""The cross-encoder on ONNX Runtime: question and text in, log-odds of the text's holding an answer out."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pipelines.embedding.base import ModelNotUsable
from pipelines.embedding.onnx_model import open_session, open_tokenizer

TOKENS = 192
"""Of question and text together."""
QUESTION_TOKENS, QUESTION_CHARACTERS = 64, 300
"""Of a longer question the end is read, where it is asked."""


class AnswerabilityClassifier:
    """Thread safe. Raises ModelNotUsable for files that are no such model."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        try:
            self._tokenizer = open_tokenizer(tokenizer)
            self._tokenizer.encode_special_tokens = True  # a "[SEP]" that somebody wrote separates nothing
            self._session = open_session(graph)
            self.log_odds("", "")
        except Exception as error:  # tokenizers and onnxruntime raise bare exceptions
            raise ModelNotUsable(f"The answerability model cannot be used: {error}") from error

    def log_odds(self, question: str, text: str) -> float:
        """That the text holds an answer to the question; about -6..6."""
        asked = self._tokenizer.encode(question[-QUESTION_CHARACTERS:], add_special_tokens=False)
        asked.truncate(QUESTION_TOKENS, direction="left")
        said = self._tokenizer.encode(text, add_special_tokens=False)
        said.truncate(TOKENS - len(asked) - self._tokenizer.num_special_tokens_to_add(True))
        ids = self._tokenizer.post_process(asked, said).ids
        return float(self._session.run(["log_odds"], {"input_ids": np.array([ids], np.int64)})[0].item())

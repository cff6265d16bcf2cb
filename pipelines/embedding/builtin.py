"""Built-in embedding models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.embedding.converted import GRAPH, TOKENIZER, ConvertedModel, Progress, logger
from pipelines.embedding.onnx_model import OnnxEmbedding, OnnxFiles


@dataclass(frozen=True, kw_only=True)
class BuiltIn(ConvertedModel):
    """An embedding model, and how it is used."""

    window: int
    query_prompt: str = ""
    passage_prompt: str = ""
    languages: frozenset[str] | None = None
    document_share: float = 0.0

    def load(self, data_folder: Path, progress: Progress = logger.info) -> OnnxEmbedding:
        """Converted into `<data folder>/models` first (seconds) unless it is there, whole and sound."""
        folder = self.ensure_converted(data_folder / "models", progress)
        return OnnxEmbedding(
            OnnxFiles(
                name=self.name,
                graph=folder / GRAPH,
                tokenizer=folder / TOKENIZER,
                fingerprint=self.fingerprint(),
                max_tokens=self.window,
                query_prompt=self.query_prompt,
                passage_prompt=self.passage_prompt,
                languages=self.languages,
                document_share=self.document_share,
            )
        )

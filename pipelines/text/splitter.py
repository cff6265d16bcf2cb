"""Documents into passages: whole sentences under their headings, near a target size, never over the model's window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.node_parser.interface import NodeParser
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode
from pydantic import Field, PrivateAttr

from pipelines.embedding import Embedding
from pipelines.text.context import context_of
from pipelines.text.counting import Counter, WordCounter
from pipelines.text.passages import Span, split
from pipelines.text.sizes import TARGET_TOKENS

__all__ = ["PassageSplitter", "Span", "split"]

WINDOW = 256


class PassageSplitter(NodeParser):
    """Nodes that are slices of their document, with title and headings as metadata `context`, embedded before them."""

    window: int = Field(default=WINDOW, description="The model's, special tokens included.", gt=8)
    target_tokens: int = Field(default=TARGET_TOKENS, description="Wished for in a passage's text.", gt=0)
    overlap: int = Field(default=0, description="Sentences of the passage before that are repeated.", ge=0)
    include_prev_next_rel: bool = Field(default=False, description="Costs a hash of each node's text.")
    _count_tokens: WordCounter = PrivateAttr()

    def __init__(self, count_tokens: Counter, **settings: Any) -> None:
        super().__init__(**settings)
        self._count_tokens = WordCounter(count_tokens)

    @classmethod
    def for_model(cls, model: Embedding, **settings: Any) -> PassageSplitter:
        """Passages that the model sees whole."""
        return cls(model.count_tokens, window=model.window, **settings)

    @classmethod
    def class_name(cls) -> str:
        return "PassageSplitter"

    def split(self, text: str, title: str = "") -> list[Span]:
        return split(
            text,
            title=title,
            count_tokens=self._count_tokens,
            window=self.window,
            target_tokens=self.target_tokens,
            overlap=self.overlap,
        )

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        return [passage for node in nodes for passage in self._passages(node)]

    def _passages(self, document: BaseNode) -> Iterator[TextNode]:
        text, title = document.get_content(), str(document.metadata.get("title") or "")
        shared = self._shared(document)
        for number, span in enumerate(self.split(text, title)):
            context = context_of(title, span.headings, self._count_tokens, self.window)
            yield TextNode(
                id_=self.id_func(number, document),
                text=text[span.start : span.end],
                start_char_idx=span.start,
                end_char_idx=span.end,
                metadata={**document.metadata, "context": context},
                **shared,
            )

    def _shared(self, document: BaseNode) -> dict[str, Any]:
        """What all nodes of a document have in common; only the context is embedded of their metadata."""
        return {
            "excluded_embed_metadata_keys": [key for key in document.metadata if key != "context"],
            "excluded_llm_metadata_keys": document.excluded_llm_metadata_keys,
            "metadata_template": "{value}",
            "text_template": "{metadata_str}\n{content}",
            "relationships": {NodeRelationship.SOURCE: document.source_node or document.as_related_node_info()},
        }

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:
        """Offsets and metadata are there already: LlamaIndex would search the text for them."""
        if self.include_prev_next_rel:
            _link(nodes)
        return nodes


def _link(nodes: Iterable[BaseNode]) -> None:
    for before, after in pairwise(nodes):
        if before.ref_doc_id == after.ref_doc_id:
            before.relationships[NodeRelationship.NEXT] = after.as_related_node_info()
            after.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()

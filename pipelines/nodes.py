"""Hits as LlamaIndex's nodes, and what its postprocessors make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from pipelines.types import Hit

HIDDEN = ["context", "document_id", "external_id", "url", "day", "cosine", "bm25"]
"""Metadata that neither a model nor an embedding is shown."""


def to_node(hit: Hit) -> NodeWithScore:
    """A hit as a node: its id is the passage's, its text the verbatim passage, its score the fused one."""
    passage = hit.passage
    node = TextNode(
        id_=str(passage.id),
        text=passage.text,
        start_char_idx=passage.start,
        end_char_idx=passage.end,
        metadata={
            "title": hit.title,
            "context": passage.context,
            "source": hit.source,
            "external_id": hit.external_id,
            "document_id": str(hit.document_id),
            "url": hit.url,
            "day": hit.day.isoformat(),
            "cosine": hit.cosine,
            "bm25": hit.bm25,
        },
        excluded_embed_metadata_keys=HIDDEN,
        excluded_llm_metadata_keys=HIDDEN,
    )
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=str(hit.document_id))
    return NodeWithScore(node=node, score=hit.score)


async def postprocess(
    hits: tuple[Hit, ...], postprocessors: Sequence[BaseNodePostprocessor], question: str
) -> tuple[Hit, ...]:
    """What LlamaIndex's postprocessors (rerankers, cut-offs …) leave of the hits, in their order, with their scores."""
    by_id = {str(hit.passage.id): hit for hit in hits}
    nodes = [to_node(hit) for hit in hits]
    for postprocessor in postprocessors:
        nodes = await postprocessor.apostprocess_nodes(nodes, QueryBundle(question))
    return tuple(replace(by_id[node.node_id], score=node.score or 0.0) for node in nodes if node.node_id in by_id)

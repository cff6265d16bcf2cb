"""The parts that `KnowledgeBase.open` was given: can they be such? LlamaIndex is not imported to find out."""

from __future__ import annotations

from typing import Any

NEEDED = {
    "embedding": ({"model_name"}, "an embedding model: resolve_embedding(model=…) makes one of a name or a folder"),
    "llm": ({"astream_chat"}, "a LlamaIndex LLM: resolve_llm(…) makes one of a server's address"),
    "splitter": ({"__call__", "target_tokens"}, "a PassageSize or a LlamaIndex node parser"),
    "fusion": ({"__call__"}, "a function over scores: ConvexCombination() or ReciprocalRankFusion()"),
    "postprocessors": ({"apostprocess_nodes"}, "LlamaIndex postprocessors"),
    "classifier": ({"log_odds"}, "what reads whether there is an answer: load_classifier(folder) makes one"),
    "calibration": ({"threshold"}, "a Calibration: read_calibration(…) makes one of a file"),
}
"""Attributes of which the part has at least one, and what it is to be."""


def check(**parts: Any) -> None:
    """Raises TypeError for a part that cannot be one, as a name in the place of what it names; None is a default."""
    for name, part in parts.items():
        attributes, wanted = NEEDED[name]
        if part is not None and not any(hasattr(part, attribute) for attribute in attributes):
            raise TypeError(f"{name} is {wanted}; not {part!r}")

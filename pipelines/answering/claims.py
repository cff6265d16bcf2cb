"""What answers are made of, whoever makes them."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.types import Hit


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer, without markers, and the passages that support it, best first.

    One without passages is not supported: it is left out of the answer and costs confidence.
    """

    text: str
    hits: tuple[Hit, ...]

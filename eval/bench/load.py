"""Questions go first: their p50 over HTTP while a bulk ingest runs against that of an idle service.

`python -m eval.bench.load`. Idle and busy phases take turns; each busy phase ingests documents of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from eval.bench.service import running_service
from eval.bench.stand_ins import milliseconds
from eval.datasets import HANDBOOK, Dataset, load
from eval.metrics import median, percentile
from eval.report import Check, all_passed, checks_table
from eval.targets import HttpTarget
from pipelines.types import NewDocument

SLOWER = 2.5
SETTLE = 0.5
NUMBERS = count(1)


async def ask(target: HttpTarget, questions: Sequence[str]) -> list[float]:
    """Milliseconds of each, one after the other; each unlike all before, whose vectors are kept."""
    times = []
    for question in questions:
        started = time.perf_counter()
        await target.ask(f"{question} {next(NUMBERS)}")
        times.append(milliseconds(started))
    return times


async def ask_while_ingesting(
    target: HttpTarget, writer: HttpTarget, questions: Sequence[str], documents: Sequence[NewDocument]
) -> list[float]:
    """Of the questions that were answered before the ingest ended."""
    ingesting = asyncio.create_task(writer.ingest(documents))
    await asyncio.sleep(SETTLE)
    times: list[float] = []
    while not ingesting.done():
        took = await ask(target, [questions[len(times) % len(questions)]])
        times += [] if ingesting.done() else took
    await ingesting
    return times


def renamed(documents: Sequence[NewDocument], turn: int) -> list[NewDocument]:
    """The same documents as new ones: every passage differs, so that none has a known vector."""
    return [
        replace(one, source="bulk", external_id=f"{turn}-{one.external_id}", title=f"{one.title} ({turn})")
        for one in documents
    ]


async def measure(dataset: Dataset, target: HttpTarget, writer: HttpTarget, rounds: int) -> list[Check]:
    questions = [question.text for question in dataset.questions[:100]]
    await target.ingest(dataset.documents)
    await ask(target, questions[:10])
    idle: list[float] = []
    busy: list[float] = []
    for turn in range(rounds):
        idle += await ask(target, questions)
        busy += await ask_while_ingesting(target, writer, questions, renamed(dataset.documents, turn))
    return [
        Check(name="question p50, idle", value=median(idle), unit="ms"),
        Check(name="question p50, while a bulk ingest runs", value=median(busy), unit="ms"),
        Check(name="question p95, while a bulk ingest runs", value=percentile(busy, 0.95), unit="ms"),
        Check(name="questions asked meanwhile", value=len(busy)),
        Check(name="while ingesting / idle", value=median(busy) / median(idle), at_most=SLOWER),
    ]


async def run(dataset: Dataset, folder: Path, rounds: int) -> list[Check]:
    with running_service(folder) as service:
        async with (
            HttpTarget(service.url, service.api_key) as target,
            HttpTarget(service.url, service.api_key) as writer,
        ):
            return await measure(dataset, target, writer, rounds)


def main(arguments: Sequence[str] | None = None) -> list[Check]:
    parser = argparse.ArgumentParser(prog="python -m eval.bench.load", description=__doc__)
    parser.add_argument("--data", type=Path, default=HANDBOOK, help="a folder in BEIR's layout")
    parser.add_argument("--documents", type=int, default=1000, help="of these at most")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        return asyncio.run(run(load(options.data).first(options.documents), Path(folder), options.rounds))


if __name__ == "__main__":
    result = main()
    print(checks_table(result))
    sys.exit(not all_passed(result))

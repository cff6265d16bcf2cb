"""Runs for a notebook, each in a call: of the library as a configuration tunes it, or of a running service."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from eval import opening, running
from eval.datasets import Dataset
from eval.records import Run
from eval.running import PARTS, Plan
from eval.targets import HttpTarget
from eval.types import Target
from pipelines.configuration import Configuration

NOTHING_CHANGED = Configuration()


async def run_library(
    suite: Dataset,
    folder: Path,
    configuration: Configuration = NOTHING_CHANGED,
    *,
    mode: str = "hybrid",
    parts: Iterable[str] = PARTS,
    seed: int = 0,
) -> Run:
    """`folder` keeps the model, and an index for each way of indexing, for the next run."""
    settings = {"target": opening.PIPELINE, "mode": mode, "configuration": configuration.described()}
    plan = Plan(suites=(suite,), parts=frozenset(parts), seed=seed, settings=settings)
    return await _run(plan, opening.library(folder, mode, configuration))


async def run_service(suite: Dataset, url: str, api_key: str, *, parts: Iterable[str] = PARTS, seed: int = 0) -> Run:
    """The suite's documents are put into the key's organization, which should hold nothing else."""
    plan = Plan(suites=(suite,), parts=frozenset(parts), seed=seed, settings={"target": url})
    return await _run(plan, lambda asked: opening.holding(HttpTarget(url, api_key, tell=print), asked))


async def _run(plan: Plan, opened: Callable[[Dataset], AbstractAsyncContextManager[Target]]) -> Run:
    with tempfile.TemporaryDirectory(prefix="eval-") as journal:
        return await running.run(plan, opened, Path(journal) / "run.json")

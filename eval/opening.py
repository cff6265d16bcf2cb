"""Targets by what the command line says of them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from eval.configuration import Configuration
from eval.datasets import Dataset
from eval.targets import HttpTarget, PipelineTarget
from eval.types import Target, TargetError
from pipelines.fusion import ConvexCombination

PIPELINE = "pipeline"
MODES: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "vectors": {"fusion": ConvexCombination(lexical_weight=0.0)},
    "lexical": {"words_only": True},
}


def service(url: str, key_env: str) -> Callable[[Dataset], AbstractAsyncContextManager[Target]]:
    """Raises TargetError where it cannot be one."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise TargetError(f"--target is {PIPELINE} or an address that begins with http:// or https://, not {url}")
    if not os.environ.get(key_env):
        raise TargetError(f"put the service's API key into the environment variable {key_env}")
    return lambda suite: _holding(HttpTarget(url, os.environ[key_env]), suite)


def library(
    folder: Path, mode: str, configuration: Configuration
) -> Callable[[Dataset], AbstractAsyncContextManager[Target]]:
    """In `folder`, each suite and each way of indexing for itself."""
    options: dict[str, Any] = {}

    @asynccontextmanager
    async def opened(suite: Dataset) -> AsyncIterator[Target]:
        if not options:
            options.update(configuration.options(folder) | MODES[mode])
        place = folder / "-".join(part for part in (suite.name, configuration.indexed_as()) if part)
        async with _holding(await PipelineTarget.open(place, suite.name, **options), suite) as target:
            yield target

    return opened


@asynccontextmanager
async def _holding(target: Target, suite: Dataset) -> AsyncIterator[Target]:
    """With the suite's documents in it; closed at the end."""
    try:
        await target.ingest(suite.documents)
        yield target
    finally:
        await target.close()

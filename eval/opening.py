"""Targets by what the command line says of them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from eval import judging
from eval.datasets import Dataset
from eval.judge import Judge, JudgeSettings
from eval.running import Judged
from eval.targets import HttpTarget, PipelineTarget
from eval.types import Target, TargetError
from pipelines.configuration import Configuration
from pipelines.embedding import resolve_embedding
from pipelines.fusion import ConvexCombination

AnyTarget = TypeVar("AnyTarget", bound=Target)
PIPELINE = "pipeline"
MODES: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "vectors": {"fusion": ConvexCombination(lexical_weight=0.0)},
    "lexical": {"words_only": True},
}


def service(
    url: str, key_env: str, tell: Callable[[str], None]
) -> Callable[[Dataset], AbstractAsyncContextManager[Target]]:
    """Raises TargetError where it cannot be one."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise TargetError(f"--target is {PIPELINE} or an address that begins with http:// or https://, not {url}")
    if not os.environ.get(key_env):
        raise TargetError(f"put the service's API key into the environment variable {key_env}")
    return lambda suite: holding(HttpTarget(url, os.environ[key_env], tell=tell), suite)


def library(
    folder: Path, mode: str, configuration: Configuration
) -> Callable[[Dataset], AbstractAsyncContextManager[Target]]:
    """In `folder`, each suite and each way of indexing for itself."""

    @asynccontextmanager
    async def opened(suite: Dataset) -> AsyncIterator[Target]:
        options = configuration.options(folder) | MODES[mode]  # anew: a library closes the reranker that it was given
        place = folder / "-".join(part for part in (suite.name, configuration.indexed_as()) if part)
        async with holding(await PipelineTarget.open(place, suite.name, **options), suite) as target:
            yield target

    return opened


@asynccontextmanager
async def holding(target: AnyTarget, suite: Dataset) -> AsyncIterator[AnyTarget]:
    """With the suite's documents in it; closed at the end."""
    try:
        await target.ingest(suite.documents)
        yield target
    finally:
        await target.close()


@dataclass(frozen=True, slots=True)
class Judging:
    """Whether ragas is wanted, and which judge there is."""

    wanted: bool = False
    settings: JudgeSettings | None = None

    @asynccontextmanager
    async def opened(self, folder: Path) -> AsyncIterator[Judged | None]:
        """Raises RagasMissing, before anything is asked. `folder` keeps the built-in model."""
        if not self.wanted:
            yield None
            return
        judging.ragas()
        if self.settings is None:
            yield judging.judged
            return
        model = resolve_embedding(data_folder=folder)
        async with Judge(self.settings) as judge:
            yield partial(judging.judged, judge=judge, embedding=model)

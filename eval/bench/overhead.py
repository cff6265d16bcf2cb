"""What the service adds to its parts: `python -m eval.bench.overhead`.

Questions: p50 of `/api/ai/query` over HTTP against the bare sum of embedding the question, one Chroma query and one
Tantivy query over the same passages, in turn. Ingestion: the library's passages/s against the bare embedder's on the
very texts that it embedded.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import tantivy

from eval.bench.service import running_service
from eval.bench.stand_ins import Recording, milliseconds
from eval.datasets import HANDBOOK, Dataset, load
from eval.metrics import median
from eval.report import Check, all_passed, checks_table
from eval.targets import HttpTarget, PipelineTarget
from pipelines.embedding import Embedding, resolve_embedding
from pipelines.knowledge import KnowledgeBase
from pipelines.text.tokens import query_tokens

CANDIDATES = 50
SLOWER, SPEED = 4.0, 0.75
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Parts:
    """The three bare parts of a search, on the indexes that the library has made."""

    embedding: Embedding
    collection: Any
    index: tantivy.Index

    def search(self, question: str) -> None:
        vector = self.embedding.embed_query(question)
        self.collection.query(query_embeddings=vector[np.newaxis], n_results=CANDIDATES, include=["distances"])
        terms = [tantivy.Query.term_query(self.index.schema, "tokens", term) for term in query_tokens(question, {"en"})]
        either = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        self.index.searcher().search(either, limit=CANDIDATES, count=False)


def open_parts(folder: Path, embedding: Embedding) -> Parts:
    """Of a folder with one organization that no knowledge base has open."""
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    [collection] = chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings).list_collections()
    [lexical] = [path.parent for path in folder.glob("lexical/**/meta.json")]
    return Parts(embedding, collection, tantivy.Index.open(str(lexical)))


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    bare: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)


async def question_times(parts: Parts, target: HttpTarget, questions: Sequence[str]) -> QuestionTimes:
    """Each question is asked both ways before the next."""
    times = QuestionTimes()
    for question in questions[:5]:
        parts.search(question)
        await target.ask(question)
    for question in questions:
        started = time.perf_counter()
        parts.search(question)
        times.bare.append(milliseconds(started))
        started = time.perf_counter()
        await target.ask(question)
        times.whole.append(milliseconds(started))
    return times


async def measure_questions(dataset: Dataset, folder: Path, questions: int) -> list[Check]:
    library = await PipelineTarget.open(folder / "library", dataset.name)
    await library.ingest(dataset.documents)
    await library.close()
    embedding = await asyncio.to_thread(resolve_embedding, data_folder=folder / "library")
    asked = [question.text for question in dataset.questions[:questions]]
    with ExitStack() as stack:
        service = stack.enter_context(running_service(made(folder / "service")))
        async with HttpTarget(service.url, service.api_key) as target:
            await target.ingest(dataset.documents)
            times = await question_times(open_parts(folder / "library", embedding), target, asked)
    bare, whole = median(times.bare), median(times.whole)
    return [
        Check(name="question: bare parts, p50", value=bare, unit="ms"),
        Check(name="question: over HTTP, p50", value=whole, unit="ms"),
        Check(name="question: over HTTP / bare parts", value=whole / bare, at_most=SLOWER),
    ]


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def measure_ingestion(dataset: Dataset, folder: Path) -> list[Check]:
    """Rounds of the whole and of the embedder alone, in turn; medians."""
    embedding = await asyncio.to_thread(resolve_embedding, data_folder=folder)
    whole, bare = [], []
    for turn in range(ROUNDS):
        recording = Recording(embedding)
        seconds = await ingest_once(dataset, folder / f"ingest-{turn}", recording)
        texts = recording.texts
        whole.append(len(texts) / seconds)
        bare.append(len(texts) / await asyncio.to_thread(seconds_of, lambda: embedding.embed_passages(texts)))  # noqa: B023 - called at once
    return [
        Check(name="ingestion: embedder alone, passages/s", value=median(bare)),
        Check(name="ingestion: whole, passages/s", value=median(whole)),
        Check(name="ingestion: whole / embedder alone", value=median(whole) / median(bare), at_least=SPEED),
    ]


async def ingest_once(dataset: Dataset, folder: Path, embedding: Embedding) -> float:
    async with await KnowledgeBase.open(folder, embedding=embedding) as knowledge:
        target = PipelineTarget.over(knowledge, dataset.name)
        started = time.perf_counter()
        await target.ingest(dataset.documents)
        return time.perf_counter() - started


def seconds_of(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


async def run(dataset: Dataset, folder: Path, questions: int) -> list[Check]:
    return [*await measure_ingestion(dataset, folder), *await measure_questions(dataset, folder, questions)]


def main(arguments: Sequence[str] | None = None) -> list[Check]:
    parser = argparse.ArgumentParser(prog="python -m eval.bench.overhead", description=__doc__)
    parser.add_argument("--data", type=Path, default=HANDBOOK, help="a folder in BEIR's layout")
    parser.add_argument("--documents", type=int, default=1000, help="of these at most")
    parser.add_argument("--questions", type=int, default=150, help="of these at most")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
        dataset = load(options.data).first(options.documents)
        return asyncio.run(run(dataset, Path(folder), options.questions))


if __name__ == "__main__":
    result = main()
    print(checks_table(result))
    sys.exit(not all_passed(result))

"""The evaluation's command line: `python -m eval retrieval DATA…`, `python -m eval handbook`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from eval import calibrate as calibration
from eval import runs
from eval.calibrate import Collected
from eval.datasets import HANDBOOK, Dataset, DatasetError, load
from eval.report import all_passed, checks_table, table, write_json
from eval.runs import AnswerRow, RetrievalReport
from eval.targets import HttpTarget, PipelineTarget
from eval.types import Target, TargetError
from pipelines import confidence
from pipelines.fusion import ConvexCombination

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Measures the knowledge base.")

MODES: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "vectors": {"fusion": ConvexCombination(lexical_weight=0.0)},
    "lexical": {"words_only": True},
}
SHOWN = ["nDCG@10", "recall@10", "MRR@10", "success@1", "success@3", "success@5"]

AnyTarget = TypeVar("AnyTarget", bound=Target)
TargetUrl = Annotated[str | None, typer.Option("--target", help="A running service; without it the library here.")]
KeyEnv = Annotated[str, typer.Option("--key-env", help="The variable that holds the service's API key.")]
Folder = Annotated[Path | None, typer.Option("--folder", help="Kept for the next run, which then skips the indexing.")]
Json = Annotated[Path | None, typer.Option("--json", help="Everything that was measured, question by question.")]
Mode = Annotated[list[str] | None, typer.Option("--mode", help="hybrid (default), vectors, lexical; may be repeated.")]


@app.command()
def retrieval(
    data: Annotated[list[Path], typer.Argument(help="Folders in BEIR's layout.")],
    *,
    target: TargetUrl = None,
    key_env: KeyEnv = "KB_API_KEY",
    mode: Mode = None,
    folder: Folder = None,
    json: Json = None,
) -> None:
    """Rankings of documents against gold documents. A service's organization holds nothing else."""
    modes = mode or ["hybrid"]
    if unknown := set(modes) - MODES.keys():
        raise typer.BadParameter(f"there is no mode {', '.join(sorted(unknown))}")
    if target and modes != ["hybrid"]:
        raise typer.BadParameter("a service searches in its own way: --mode is for the library")
    if target and len(data) > 1:
        raise typer.BadParameter("each data set needs an organization of its own: one at a time with --target")
    reports = asyncio.run(_retrieval([load(path) for path in data], target, key_env, modes, folder))
    print(table(["data", "mode", "documents", "questions", *SHOWN, "p50 ms"], [_cells(m, r) for m, r in reports]))
    _tell_failures([failure for _, report in reports for failure in report.failed])
    if json:
        write_json(json, [{"mode": mode, "report": report} for mode, report in reports])


def _cells(mode: str, report: RetrievalReport) -> list[str | float]:
    ranges = [f"{e.mean:.3f} ({e.low:.3f}–{e.high:.3f})" for e in (report.estimates[name] for name in SHOWN)]
    questions = report.estimates[SHOWN[0]].count
    return [report.dataset, mode, report.documents, questions, *ranges, report.median_ms]


async def _retrieval(
    datasets: list[Dataset], url: str | None, key_env: str, modes: list[str], folder: Path | None
) -> list[tuple[str, RetrievalReport]]:
    reports = []
    with _kept(folder) as kept:
        for dataset in datasets:
            for mode in modes:
                async with _opened(dataset, url, key_env, kept, mode) as target:
                    reports.append((mode, await runs.retrieval(dataset, target)))
    return reports


@app.command()
def handbook(
    *,
    target: TargetUrl = None,
    key_env: KeyEnv = "KB_API_KEY",
    folder: Folder = None,
    json: Json = None,
    data: Annotated[Path, typer.Option("--data", help="Another folder with questions and answers.")] = HANDBOOK,
    worst: Annotated[int, typer.Option("--worst", help="Prints this many questions that went wrong.")] = 0,
) -> None:
    """Answers to the handbook's questions, against what is promised of them; exit code 1 when a promise is broken."""
    rows = asyncio.run(_answers(load(data), target, key_env, folder))
    checks = runs.answer_checks(rows)
    print(checks_table(checks))
    _tell_failures([f"{row.question.id}: {row.error}" for row in rows if row.error])
    for row in [row for row in rows if _went_wrong(row)][:worst]:
        print(f"\n{row.question.id}: {row.question.text}\n  gold: {row.question.answers}\n  said: {row.reply}")
    if json:
        write_json(json, {"checks": checks, "rows": rows})
    if not all_passed(checks):
        raise typer.Exit(1)


async def _answers(dataset: Dataset, url: str | None, key_env: str, folder: Path | None) -> list[AnswerRow]:
    with _kept(folder) as kept:
        async with _opened(dataset, url, key_env, kept, "hybrid") as target:
            return await runs.answers(dataset, target)


@app.command()
def calibrate(
    data: Annotated[list[Path], typer.Argument(help="Folders in BEIR's layout; the handbook is always among them.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The calibration to be written.")] = confidence.FILE,
    folder: Folder = None,
) -> None:
    """Fits when to refuse and how sure to be, and says how well that does on each set, also fitted to the others."""
    folders = [*data, *([] if HANDBOOK in data else [HANDBOOK])]
    collected = asyncio.run(_collect([load(path) for path in folders], folder))
    confidence.save(calibration.calibrations(collected), calibration.provenance(folders, collected), out)
    print(calibration.report(collected))


async def _collect(datasets: list[Dataset], folder: Path | None) -> dict[str, Collected]:
    collected = {}
    with _kept(folder) as kept:
        for dataset in datasets:
            others = [other for other in datasets if other is not dataset]
            library = await PipelineTarget.open(Path(kept) / dataset.name, dataset.name)
            async with _holding(library, dataset) as target:
                collected[dataset.name] = await calibration.collect(dataset, others, target)
    return collected


def _went_wrong(row: AnswerRow) -> bool:
    return not row.gold_cited if row.question.answerable else not row.refused


def _kept(folder: Path | None) -> Any:
    """The folder given, or one that is gone afterwards."""
    return nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="eval-")


@asynccontextmanager
async def _opened(
    dataset: Dataset, url: str | None, key_env: str, folder: Path | str, mode: str
) -> AsyncIterator[Target]:
    async with _holding(await _target(dataset, url, key_env, Path(folder), mode), dataset) as target:
        yield target


@asynccontextmanager
async def _holding(target: AnyTarget, dataset: Dataset) -> AsyncIterator[AnyTarget]:
    """A target that holds the data set."""
    try:
        print(f"{dataset.name}: {len(dataset.documents)} documents …", file=sys.stderr)
        await target.ingest(dataset.documents)
        yield target
    finally:
        await target.close()


async def _target(dataset: Dataset, url: str | None, key_env: str, folder: Path, mode: str) -> Target:
    if url is None:
        return await PipelineTarget.open(folder / dataset.name, dataset.name, **MODES[mode])
    if not os.environ.get(key_env):
        raise TargetError(f"put the service's API key into the environment variable {key_env}")
    return HttpTarget(url, os.environ[key_env])


def _tell_failures(failed: list[str]) -> None:
    for failure in failed[:10]:
        print(f"failed: {failure}", file=sys.stderr)
    if len(failed) > 10:
        print(f"… and {len(failed) - 10} more", file=sys.stderr)


def main() -> None:
    try:
        app()
    except (DatasetError, TargetError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

"""The evaluation's command line: `run`; `compare`, `report`, `gate`, `calibrate-answers` on runs; and `calibrate`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from eval import calibrate as calibration
from eval import calibrate_answers as answer_calibration
from eval import comparison, opening
from eval import gate as gates
from eval import page as pages
from eval.calibrate import Collected
from eval.datasets import HANDBOOK, Dataset, DatasetError, load
from eval.fitting import fit_generated
from eval.gate import ThresholdsError
from eval.judge import JudgeSettings
from eval.judging import RagasMissing
from eval.records import Run, RunFileError, load_run, save
from eval.running import PARTS, Plan, journal_of
from eval.running import run as run_plan
from eval.suites import find, sample
from eval.summary import failures, run_table, worst_lines
from eval.targets import PipelineTarget
from eval.types import TargetError
from pipelines.answerability import load_classifier
from pipelines.calibration import BUILT_IN, CalibrationError, existing, save_calibrations, save_generated
from pipelines.confidence import Classifier
from pipelines.configuration import ConfigurationError, load_configuration
from pipelines.embedding import Embedding, ModelNotUsable, resolve_embedding

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Measures the knowledge base.")

Suites = Annotated[list[str], typer.Argument(help="handbook, a folder in BEIR's layout, or a .jsonl of questions.")]
Data = Annotated[Path | None, typer.Option(help="Where suites are looked for; or the documents of a .jsonl.")]
TargetUrl = Annotated[str, typer.Option("--target", help="The library here (pipeline), or a running service's URL.")]
KeyEnv = Annotated[str, typer.Option(help="The variable that holds the service's API key.")]
Config = Annotated[Path | None, typer.Option(help="TOML: what of the library is set differently.")]
Mode = Annotated[str, typer.Option(help="How the library searches: hybrid, vectors or lexical.")]
Out = Annotated[Path | None, typer.Option(help="The report; by default data/eval/SUITES.json.")]
Limit = Annotated[int | None, typer.Option(min=1, help="So many questions of each suite, chosen by the seed.")]
Seed = Annotated[int, typer.Option(help="Of chosen questions and of intervals.")]
Only = Annotated[list[str] | None, typer.Option(help="Measure only: retrieval, answers, follow-ups; repeatable.")]
Folder = Annotated[Path | None, typer.Option(help="Kept for the next run, which then skips the indexing.")]
Ragas = Annotated[bool, typer.Option("--ragas", help="Also ragas' measures (make eval-env).")]
JudgeUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server whose model judges by ragas.")]
JudgeModel = Annotated[str | None, typer.Option(help="The judge's model.")]
JudgeKeyEnv = Annotated[str, typer.Option(help="The variable that holds the judge's API key.")]
JudgeCache = Annotated[Path, typer.Option(help="Keeps what the judge said: it is not asked twice.")]
JudgeCalls = Annotated[int, typer.Option(min=0, help="Most calls of the judge in a run.")]
JudgeAtOnce = Annotated[int, typer.Option(min=1, help="Most calls at the same time.")]
JudgeTimeout = Annotated[float, typer.Option(min=0.1, help="Seconds for a call.")]
Worst = Annotated[int, typer.Option(help="Print so many questions that went wrong.")]


@app.command()
def run(
    suites: Suites,
    *,
    data: Data = None,
    target: TargetUrl = opening.PIPELINE,
    key_env: KeyEnv = "KB_API_KEY",
    config: Config = None,
    mode: Mode = "hybrid",
    out: Out = None,
    limit: Limit = None,
    seed: Seed = 0,
    only: Only = None,
    folder: Folder = None,
    worst: Worst = 0,
    ragas: Ragas = False,
    judge_base_url: JudgeUrl = None,
    judge_model: JudgeModel = None,
    judge_key_env: JudgeKeyEnv = "JUDGE_API_KEY",
    judge_cache: JudgeCache = Path("data", "eval", "judge"),
    judge_calls: JudgeCalls = 2000,
    judge_at_once: JudgeAtOnce = 4,
    judge_timeout: JudgeTimeout = 60.0,
) -> None:
    """Ask all questions of suites and measure what comes back. Interrupted, the same command goes on."""
    _check(target, mode, config, only, suites)
    judge = None
    if judge_base_url and judge_model:
        judge = JudgeSettings(
            base_url=judge_base_url,
            model=judge_model,
            api_key=os.environ.get(judge_key_env),
            cache=judge_cache,
            most_calls=judge_calls,
            at_once=judge_at_once,
            timeout=judge_timeout,
        )
    elif judge_base_url or judge_model:
        raise typer.BadParameter("a judge is named by --judge-base-url and --judge-model")
    judging = opening.Judging(wanted=ragas or judge is not None, settings=judge)
    settings = {"target": target, "mode": mode, "configuration": load_configuration(config).described()}
    settings |= {"judge": judge.public()} if judge else {}
    found = tuple(sample(find(name, data), limit, seed) for name in suites)
    _check_suites(found, target)
    parts = frozenset(only or PARTS)
    plan = Plan(suites=found, parts=parts, seed=seed, limit=limit, settings=settings)
    path = out or Path("data", "eval", "-".join(suite.name for suite in found) + ".json")
    _finish(asyncio.run(_run(plan, path, key_env, config, folder, judging)), path, worst)


def _check(target: str, mode: str, config: Path | None, only: list[str] | None, suites: list[str]) -> None:
    if mode not in opening.MODES:
        raise typer.BadParameter(f"there is no mode {mode}")
    if unknown := set(only or ()) - set(PARTS):
        raise typer.BadParameter(f"there is no part {', '.join(sorted(unknown))}")
    if target == opening.PIPELINE:
        return
    if mode != "hybrid" or config:
        raise typer.BadParameter("a service searches in its own way: --mode and --config are for the library")
    if len(suites) > 1:
        raise typer.BadParameter("each suite needs an organization of its own: one at a time with --target")


def _check_suites(suites: Sequence[Dataset], target: str) -> None:
    if len({suite.name for suite in suites}) < len(suites):
        raise DatasetError("two suites have the same name")
    bare = [suite.name for suite in suites if not suite.documents]
    if bare and target == opening.PIPELINE:
        raise DatasetError(f"{bare[0]} has no documents: name a folder with corpus.jsonl by --data")


async def _run(
    plan: Plan, path: Path, key_env: str, config: Path | None, folder: Path | None, judging: opening.Judging
) -> Run:
    with _kept(folder) as kept:
        settings = plan.settings
        if settings["target"] == opening.PIPELINE:
            opened = opening.library(Path(kept), settings["mode"], load_configuration(config))
        else:
            opened = opening.service(settings["target"], key_env, _tell)
        async with judging.opened(Path(kept)) as judged:
            return await run_plan(plan, opened, path, judged=judged, tell=_tell)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _kept(folder: Path | None) -> Any:
    """The folder given, or one that is gone afterwards."""
    return nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="eval-")


def _finish(done: Run, path: Path, worst: int) -> None:
    """Exit code 1 where nothing could be measured: its rows are asked again by the same command."""
    save(done, path)
    print(run_table(done))
    for line in [*done.notes, *failures(done)]:
        print(line, file=sys.stderr)
    print("\n".join(worst_lines(done, worst)), end="\n" if worst else "")
    print(f"written: {path}", file=sys.stderr)
    if done.rows and all(row.error for row in done.rows):
        raise typer.Exit(1)
    journal_of(path).unlink(missing_ok=True)


@app.command()
def compare(
    a: Annotated[Path, typer.Argument(help="The run before.")],
    b: Annotated[Path, typer.Argument(help="The run after.")],
    *,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    changed: Annotated[int, typer.Option(help="Print so many questions that changed most.")] = 10,
) -> None:
    """Say of each measure whether two runs differ by more than chance, and which questions changed."""
    found = comparison.compare(load_run(a), load_run(b), seed)
    print(comparison.comparison_table(found))
    print("", comparison.conclusion(found), *found.remarks, sep="\n")
    scored = sum(change.in_scores for change in found.changes)
    print(f"\n{len(found.changes)} questions changed, {scored} of them in more than their confidence.")
    print(*comparison.change_lines(found.changes[:changed]), sep="\n")


@app.command()
def report(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="What `run` wrote.")],
    *,
    html: Annotated[Path, typer.Option(help="The page.")],
    baseline: Annotated[Path | None, typer.Option(help="The run before, to show what changed.")] = None,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
) -> None:
    """Write a run as one HTML page that needs nothing else."""
    content = pages.html(load_run(file), load_run(baseline) if baseline else None, seed)
    html.parent.mkdir(parents=True, exist_ok=True)
    html.write_text(content, encoding="utf-8")
    print(f"written: {html}", file=sys.stderr)


@app.command()
def gate(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="What `run` wrote.")],
    *,
    thresholds: Annotated[Path, typer.Option(help="TOML with the floors.")] = gates.THRESHOLDS,
) -> None:
    """Exit code 1, and a line for each floor that the run breaks."""
    held = load_run(file)
    floors = gates.load_thresholds(thresholds)
    made = gates.checks(held, floors)
    if limit := held.provenance.get("limit"):
        print(f"this run asked {limit} questions of each suite: floors are for all of them", file=sys.stderr)
    for remark in gates.remarks(held, floors):
        print(remark, file=sys.stderr)
    broken = gates.broken(made)
    print(*broken or [f"all {len(made)} floors are kept"], sep="\n")
    if broken:
        raise typer.Exit(1)


@app.command()
def calibrate(
    suites: Suites,
    *,
    data: Data = None,
    model: Annotated[str, typer.Option(help="The embedding model.")] = BUILT_IN,
    out: Annotated[
        Path, typer.Option("--out", help="For [calibration] in a configuration; other models' in it are kept.")
    ] = Path("data", "eval", "calibration.json"),
    folder: Folder = None,
) -> None:
    """Fits when to refuse and how sure to be, and says how well that does on each set, also fitted to the others.

    The handbook is one of the sets always.
    """
    datasets = [find(name, data) for name in suites]
    if HANDBOOK.name not in {dataset.name for dataset in datasets}:
        datasets.append(load(HANDBOOK))
    _check_suites(datasets, opening.PIPELINE)
    existing(out)  # what cannot be written to is told before the work, not after it
    with _kept(folder) as kept:
        embedding = resolve_embedding(data_folder=Path(kept), model=model)
        collected = asyncio.run(_collect(datasets, Path(kept), embedding, load_classifier(Path(kept))))
    found = calibration.calibrations(collected, embedding.model_name)
    print(calibration.report(collected))
    out.parent.mkdir(parents=True, exist_ok=True)
    save_calibrations(found, calibration.provenance(datasets, collected, embedding), out)
    print(f"\nWritten to {out}", file=sys.stderr)


@app.command()
def calibrate_answers(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="What `run` wrote, its --config with a table [llm].")],
    *,
    out: Annotated[Path, typer.Option("--out", help="For [calibration] in a configuration; what is in it is kept.")],
) -> None:
    """Fits how sure to be of a language model's answers, and says how well that does."""
    done = load_run(file)
    fitted = fit_generated(answer_calibration.answers(done))
    print(answer_calibration.report(done))
    save_generated(answer_calibration.model_of(done), fitted, answer_calibration.provenance(done), out)


async def _collect(
    datasets: list[Dataset], folder: Path, embedding: Embedding, classifier: Classifier
) -> dict[str, Collected]:
    collected = {}
    for dataset in datasets:
        # Those of the same documents ask the same in another language, of the same knowledge base.
        others = [other for other in datasets if other.documents != dataset.documents]
        name = next(other.name for other in datasets if other.documents == dataset.documents)
        library = await PipelineTarget.open(folder / name, name, embedding=embedding)
        async with opening.holding(library, dataset) as target:
            print(f"{dataset.name}: {len(dataset.documents)} documents …", file=sys.stderr)
            # One group: a knowledge base counts once, in however many languages it is asked.
            collected[dataset.name] = await calibration.collect(replace(dataset, name=name), others, target, classifier)
    return collected


def main() -> None:
    try:
        app()
    except (
        DatasetError,
        TargetError,
        RunFileError,
        CalibrationError,
        ConfigurationError,
        ThresholdsError,
        RagasMissing,
        ModelNotUsable,
    ) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

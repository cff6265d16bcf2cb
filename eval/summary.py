"""A run in the terminal: a line a measure, a column a suite."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from statistics import fmean

from eval.metrics import Estimate
from eval.records import Record, Run, SuiteResult
from eval.report import shown, table


def run_table(run: Run) -> str:
    """With several suites their mean comes last."""
    several = len(run.suites) > 1
    header = ["measure", *(suite.name for suite in run.suites), *(["mean"] if several else [])]
    names = dict.fromkeys(name for suite in run.suites for name in suite.measures)
    rows = [_cells(name, run.suites, several=several) for name in names]
    counts = ["questions asked", *(str(suite.asked) for suite in run.suites), *([""] if several else [])]
    return table(header, [*rows, counts])


def _cells(name: str, suites: tuple[SuiteResult, ...], *, several: bool) -> list[str]:
    cells = [_cell(suite.measures.get(name), suite.judge_failed.get(name, 0)) for suite in suites]
    means = [suite.measures[name].mean for suite in suites if name in suite.measures]
    known = [mean for mean in means if not isnan(mean)]
    mean = [shown(fmean(known)) if len(known) == len(suites) else "–"] if several else []
    return [name, *cells, *mean]


def _cell(estimate: Estimate | None, failed: int) -> str:
    if estimate is None:
        return "–"
    text = shown(estimate.mean)
    if not isnan(estimate.low):
        text += f" ({shown(estimate.low)}–{shown(estimate.high)})"
    return f"{text}, {failed} failed" if failed else text


def failures(run: Run, most: int = 10) -> Iterator[str]:
    """A line a question that failed, or that a judge could not decide; the first ones."""
    failed = [f"{row.suite}/{row.id}: {row.error}" for row in run.rows if row.error]
    failed += [f"{row.suite}/{row.id}: {name}: {why}" for row in run.rows for name, why in row.judge_errors.items()]
    yield from (f"failed: {failure}" for failure in failed[:most])
    if len(failed) > most:
        yield f"… and {len(failed) - most} more"


def badness(row: Record) -> float:
    """Orders questions by what went wrong with them: failed, then surely wrong, then wrongly refused."""
    if row.error:
        return 3.0
    if row.refused:
        return 1.0 if row.answerable else 0.0
    correct = row.metrics.get("correct", row.metrics.get("nDCG@10", 1.0))
    confidence = 0.5 if row.confidence is None else row.confidence
    return (1 - correct) * (1.5 + confidence) + (1 - confidence) / 10 + (1 - row.metrics.get("gold_cited", 1.0)) / 2


def worst(run: Run, count: int) -> list[Record]:
    return sorted(run.rows, key=badness, reverse=True)[:count]


def worst_lines(run: Run, count: int) -> Iterator[str]:
    for row in worst(run, count):
        gold = " | ".join(row.gold_answers) or ("nothing" if not row.answerable else ", ".join(row.gold_documents))
        cited = ", ".join(dict.fromkeys(one.external_id for one in row.citations)) or "nothing"
        said = row.error or (f"refused: {row.answer}" if row.refused else str(row.answer))
        sure = "" if row.confidence is None else f", confidence {row.confidence:.2f}"
        yield f"\n{row.suite}/{row.id}: {row.question}\n  gold: {gold}\n  said: {said}\n  cited: {cited}{sure}"

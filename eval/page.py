"""A run as one HTML page that needs nothing else: its measures, plots, what changed, and the worst of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from eval import plots
from eval.comparison import Change, Comparison, compare, conclusion, signed
from eval.drift import NONE, NOT_KNOWN, Drift, drifts
from eval.markup import Child, Element, element, page
from eval.measures import measure_named
from eval.metrics import Estimate
from eval.records import Record, Run, SuiteResult
from eval.report import shown
from eval.summary import worst

WORST = 20
PLOTTED = ("right", "gold_cited", "nDCG@10")
STYLE = """
:root { color-scheme: light dark; --good: #2a7d4f; --bad: #c2452d; --line: #8888; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid var(--soft); vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
figure { display: inline-block; margin: .5rem 1rem .5rem 0; width: 100%; vertical-align: top; }
figcaption { font-size: .85rem; } svg { width: 100%; height: auto; }
svg text { font-size: 12px; fill: currentColor; } .axis, .guide { stroke: var(--line); } .guide { stroke-dasharray: 4; }
.whisker { stroke: currentColor; opacity: .5; } .dot { fill: #3567c2; } .good { fill: var(--good); color: var(--good); }
.bad { fill: var(--bad); color: var(--bad); } article { border-top: 1px solid var(--soft); padding: .6rem 0; }
article p { margin: .2rem 0; overflow-wrap: anywhere; }
blockquote { margin: .3rem 0 .3rem 1rem; white-space: pre-wrap; }
.quiet { opacity: .75; font-size: .9rem; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
"""


def html(run: Run, baseline: Run | None = None, seed: int = 0) -> str:
    """`baseline` is the run before: what changed since is shown."""
    name = ", ".join(suite.name for suite in run.suites)
    compared = compare(baseline, run, seed) if baseline else None
    body: list[Child] = [element("h1", f"Evaluation: {name}"), *_origin(run), *_failed(run)]
    body += [_measures(run), *_drift(list(drifts(run, baseline)))]
    for suite in run.suites:
        body += _plots(run, suite)
    if compared:
        body += _changes(compared)
    body += [element("h2", f"The worst {min(WORST, len(run.rows))}"), *map(_article, worst(run, WORST))]
    return page(f"Evaluation: {name}", STYLE, *body)


def framed(html: str, height: int = 600) -> str:
    """The page inside another one, as in a notebook."""
    return element("div", element("iframe", srcdoc=html, width="100%", height=height)).markup


def _origin(run: Run) -> Iterator[Element]:
    pairs = [(name, value) for name, value in run.provenance.items() if value not in (None, {}, "")]
    pairs += [(f"data of {suite.name}", f"{suite.documents} documents, {suite.data_sha256}") for suite in run.suites]
    terms = [part for name, value in pairs for part in (element("dt", name), element("dd", _plain(value)))]
    yield element("details", element("summary", "Where this comes from"), element("dl", *terms))
    yield from (element("p", note, class_="quiet") for note in run.notes)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _failed(run: Run) -> list[Element]:
    count = sum(bool(row.error or row.judge_errors) for row in run.rows)
    return (
        [element("p", f"{count} of {len(run.rows)} questions failed in whole or in part.", class_="bad")]
        if count
        else []
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[Child]], texts: frozenset[int]) -> Element:
    """Columns in `texts` stand left, numbers right."""

    def cells(tag: str, row: Sequence[Child]) -> list[Element]:
        return [element(tag, one, class_="" if at in texts else "number") for at, one in enumerate(row)]

    lines = [element("tr", *cells("td", row)) for row in rows]
    made = element("table", element("thead", element("tr", *cells("th", header))), element("tbody", *lines))
    return element("div", made, class_="wide")


def _measures(run: Run) -> Element:
    names = dict.fromkeys(name for suite in run.suites for name in suite.measures)
    header = ["measure", *(f"{suite.name} ({suite.asked})" for suite in run.suites), "what it is"]
    rows = [[name, *(_estimate(suite, name) for suite in run.suites), measure_named(name).meaning] for name in names]
    return _table(header, rows, frozenset({0, len(header) - 1}))


def _estimate(suite: SuiteResult, name: str) -> str:
    one: Estimate | None = suite.measures.get(name)
    if one is None:
        return "–"
    between = "" if isnan(one.low) else f" ({shown(one.low)}–{shown(one.high)})"
    failed = suite.judge_failed.get(name, 0)
    return shown(one.mean) + between + (f", {failed} failed" if failed else "")


def _drift(organizations: Sequence[Drift]) -> Iterator[Element]:
    if not organizations:
        return
    yield element("h2", "Drift by organization")
    told = "The gap is mean confidence less share right; the shift is that of all confidences since the run before."
    yield element("p", told, class_="quiet")
    header = ["organization", "judged", "refused", "confidence", "right", "gap", "by chance", "shift", "verdict"]
    yield _table(header, [_drifted(one) for one in organizations], frozenset({0, 8}))


def _drifted(one: Drift) -> list[Child]:
    chance = "–" if isnan(one.chance) else f"± {shown(one.chance)}"
    numbers = [str(one.judged), *map(shown, (one.refused, one.confidence, one.right)), signed(one.gap), chance]
    verdict = element("span", one.verdict, class_="" if one.verdict in {NONE, NOT_KNOWN} else "bad")
    return [one.organization, *numbers, shown(one.shift), verdict]


def _plots(run: Run, suite: SuiteResult) -> Iterator[Element]:
    rows = run.of(suite.name)
    given = [row for row in rows if row.given and "correct" in row.metrics and row.confidence is not None]
    if not given:
        return
    yield element("h2", f"Confidence: {suite.name}")
    errors = {name: suite.measures[name].mean for name in ("ece", "ece_perfect") if name in suite.measures}
    told = ", ".join(f"{name} {shown(value)}" for name, value in errors.items())
    yield plots.reliability(suite.reliability, f"Reliability: {told}")
    right = [row.confidence or 0.0 for row in given if row.metrics["correct"]]
    wrong = [row.confidence or 0.0 for row in given if not row.metrics["correct"]]
    yield plots.distribution(right, wrong, f"Answers given: {len(right)} right above, {len(wrong)} wrong below")
    yield from _scores(rows)


def _scores(rows: Sequence[Record]) -> Iterator[Element]:
    for name in ("nDCG@10", "token_f1"):
        known = [row for row in rows if not isnan(row.metrics.get(name, float("nan")))]
        above = [row.metrics[name] for row in known if row.metrics.get("right")]
        below = [row.metrics[name] for row in known if not row.metrics.get("right")]
        if known:
            yield plots.distribution(above, below, f"{name}: answered rightly above, not so below", name)


def _changes(compared: Comparison) -> Iterator[Element]:
    yield element("h2", "Since the run before")
    yield element("p", conclusion(compared))
    yield from (element("p", remark, class_="quiet") for remark in compared.remarks)
    header = ["suite", "measure", "before", "now", "difference", "95 % interval", "p", "questions", "verdict"]
    yield _table(header, [_row(compared, at) for at in range(len(compared.differences))], frozenset({0, 1, 8}))
    yield from _moved(compared.pairs)
    yield element("h3", f"The {min(WORST, len(compared.changes))} questions that changed most")
    yield from (_change(one) for one in compared.changes[:WORST])


def _row(compared: Comparison, at: int) -> list[Child]:
    one = compared.differences[at]
    between = "–" if isnan(one.low) else f"{signed(one.low)} to {signed(one.high)}"
    p = "–" if isnan(one.p) else "<0.001" if one.p < 0.001 else f"{one.p:.3f}"
    verdict = element("span", one.verdict, class_={"better": "good", "worse": "bad"}.get(one.verdict, ""))
    numbers = [shown(one.a), shown(one.b), signed(one.difference), between, p, str(one.count)]
    return [one.suite, one.measure.name, *numbers, verdict]


def _moved(pairs: Sequence[tuple[Record, Record]]) -> Iterator[Element]:
    """Differences question by question."""
    for name in PLOTTED:
        both = [(a, b) for a, b in pairs if name in a.metrics and name in b.metrics]
        if both:
            values = [(b.metrics[name] - a.metrics[name], f"{b.id}: {b.question}") for a, b in both]
            yield plots.differences(values, f"{name}, question by question")
    sure = [(a, b) for a, b in pairs if a.confidence is not None and b.confidence is not None]
    values = [((b.confidence or 0.0) - (a.confidence or 0.0), f"{b.id}: {b.question}") for a, b in sure]
    if values:
        yield plots.differences(values, "confidence, question by question")


def _change(change: Change) -> Element:
    row = change.after
    sides = [("before", change.before), ("now", change.after)]
    said = [element("p", element("b", f"{when}: "), _said(one), _sure(one)) for when, one in sides]
    return element("article", element("h3", f"{row.suite}/{row.id}: {row.question}"), _gold(row), *said)


def _said(row: Record) -> str:
    return f"failed: {row.error}" if row.error else f"refused: {row.answer}" if row.refused else row.answer or "–"


def _sure(row: Record) -> Element:
    return element("span", "" if row.confidence is None else f" (confidence {row.confidence:.2f})", class_="quiet")


def _gold(row: Record) -> Element:
    wanted = " | ".join(row.gold_answers) or (
        "an answer" if row.answerable else f"no answer ({row.kind or 'none there'})"
    )
    where = f", in {', '.join(row.gold_documents)}" if row.gold_documents else ""
    return element("p", element("b", "wanted: "), wanted + where)


def _article(row: Record) -> Element:
    parts: list[Child] = [element("h3", f"{row.suite}/{row.id}: {row.question}"), _gold(row)]
    parts.append(element("p", element("b", "said: "), _said(row), _sure(row)))
    parts += [_cited(at, one.external_id, one.snippet, row) for at, one in enumerate(row.citations, 1)]
    scores = ", ".join(f"{name} {shown(value)}" for name, value in row.metrics.items())
    parts.append(element("p", scores, class_="quiet"))
    parts += [element("p", f"{name}: {why}", class_="bad") for name, why in row.judge_errors.items()]
    return element("article", *parts)


def _cited(at: int, external_id: str, snippet: str, row: Record) -> Element:
    told = f"[{at}] {external_id}" + (" (gold)" if external_id in row.gold_documents else "")
    return element("details", element("summary", told), element("blockquote", snippet))

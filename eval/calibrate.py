"""Refusal and confidence, fitted to sets of questions with known answers, and judged by fits that leave one set out."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from eval import metrics
from eval.datasets import Dataset, Question
from eval.fitting import REFUSAL_COST, Example, fit
from eval.report import Row, table
from eval.suites import fingerprint
from pipelines.answerer import PASSAGES
from pipelines.answering.evidence import weigh
from pipelines.answering.extractive import extract
from pipelines.answering.reading import Reading, read
from pipelines.calibration import ANY, BUILT_IN, OF_THE_MODEL, Calibration
from pipelines.confidence import Classifier, read_by
from pipelines.embedding import Embedding
from pipelines.types import Retrieval

STRANGERS = 60
"""Questions of each other set that a knowledge base is asked: it has no answer to them."""
RELEVANCE = 400
"""Questions of a set whose passages tell relevant ones from others, so many passages each."""
DEPTH = 10
CITATIONS = 5
MEASURED_WITH = ("numpy", "onnxruntime", "tantivy")


class Retriever(Protocol):
    """A knowledge base that holds a data set."""

    async def retrieve(self, question: str, limit: int) -> Retrieval: ...


@dataclass(frozen=True, slots=True)
class Collected:
    """Of one set of questions; `passages` are cosines, and whether the passage is of a gold document."""

    examples: tuple[Example, ...]
    passages: tuple[tuple[float, bool], ...]


async def collect(
    dataset: Dataset, others: Iterable[Dataset], knowledge: Retriever, classifier: Classifier | None = None
) -> Collected:
    """What its own questions give in the knowledge base, and some questions of others."""
    examples: list[Example] = []
    passages: list[tuple[float, bool]] = []
    for number, question in enumerate(dataset.questions):
        retrieval = await knowledge.retrieve(question.text, PASSAGES)
        examples.extend(_example(dataset, question, retrieval, classifier))
        if number < RELEVANCE:
            passages.extend(_passages(dataset, question, retrieval))
    for question in strangers(others):
        retrieval = await knowledge.retrieve(question.text, PASSAGES)
        examples.extend(_stranger(dataset, retrieval, classifier))
    return Collected(tuple(examples), tuple(passages))


def strangers(others: Iterable[Dataset], seed: int = 0) -> list[Question]:
    """Questions of other sets, those left out that are about the subject of none."""
    rng = np.random.default_rng(seed)
    chosen: list[Question] = []
    for dataset in others:
        pool = [question for question in dataset.questions if question.kind != "other"]
        places = rng.choice(len(pool), min(STRANGERS, len(pool)), replace=False)
        chosen.extend(pool[place] for place in places)
    return chosen


def _example(
    dataset: Dataset, question: Question, retrieval: Retrieval, classifier: Classifier | None
) -> Iterator[Example]:
    """None where nothing was found: that needs no model."""
    if (reading := read(retrieval)).units:
        yield Example(
            evidence=weigh(reading),
            group=dataset.name,
            is_answerable=question.answerable,
            is_right=_is_right(question, reading),
            is_near=question.kind != "other",
            read=read_by(classifier, reading),
        )


def _is_right(question: Question, reading: Reading) -> bool | None:
    if not question.answerable:
        return False
    if not question.answers:
        return None
    claims = extract(reading, max_citations=CITATIONS)
    return metrics.is_right(" ".join(claim.text for claim in claims), question.answers)


def _stranger(dataset: Dataset, retrieval: Retrieval, classifier: Classifier | None) -> Iterator[Example]:
    if (reading := read(retrieval)).units:
        yield Example(
            evidence=weigh(reading),
            group=dataset.name,
            is_answerable=False,
            is_right=False,
            is_near=False,
            read=read_by(classifier, reading),
        )


def _passages(dataset: Dataset, question: Question, retrieval: Retrieval) -> Iterator[tuple[float, bool]]:
    gold = dataset.gold.get(question.id, {})
    if question.answerable and gold:
        yield from ((hit.cosine, hit.external_id in gold) for hit in retrieval.hits[:DEPTH])


def fit_to(collected: Iterable[Collected], without: frozenset[str] = frozenset()) -> Calibration:
    sets = list(collected)
    examples = [example for one in sets for example in one.examples]
    return fit(examples, [passage for one in sets for passage in one.passages], without=without)


def calibrations(collected: Mapping[str, Collected], model: str = BUILT_IN) -> dict[str, Calibration]:
    """Of the model; with the default one, also of any other: without its cosines."""
    unknown = {ANY: fit_to(collected.values(), OF_THE_MODEL)} if model == BUILT_IN else {}
    return {model: fit_to(collected.values())} | unknown


# --- how good


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one set; "strange" are questions of other sets. The last three are of the confidence of answers given."""

    answerable: float
    """AUROC of telling answerable from unanswerable questions of the set."""
    wrongly_refused: float
    refused: float
    strange_answered: float
    auroc: float
    ece: float
    brier: float


def figures(calibration: Calibration, examples: Sequence[Example]) -> Figures:
    """By evidence alone: before words have to meet in a language that the embedding model does not know."""
    scores, surely = np.array([calibration.probabilities(one.known) for one in examples]).T
    is_answerable, near = _flags(one.is_answerable for one in examples), _flags(one.is_near for one in examples)
    told = _flags(one.is_right is not None for one in examples)
    right = _flags(one.is_right is True for one in examples)
    refused, given = scores < calibration.threshold, near & told & (scores >= calibration.threshold)
    return Figures(
        answerable=metrics.auroc(scores[near], is_answerable[near]),
        wrongly_refused=_mean(refused[is_answerable]),
        refused=_mean(refused[near & ~is_answerable]),
        strange_answered=_mean(~refused[~near]),
        auroc=metrics.auroc(surely[given], right[given]),
        ece=metrics.calibration_error(surely[given], right[given]),
        brier=metrics.brier(surely[given], right[given]),
    )


def trade_off(
    calibration: Calibration, examples: Sequence[Example], thresholds: Iterable[float]
) -> dict[float, Figures]:
    """What each threshold would come to."""
    return {value: figures(replace(calibration, threshold=value), examples) for value in thresholds}


def _flags(values: Iterable[bool]) -> metrics.Flags:
    return np.fromiter(values, np.bool_)


def _mean(flags: metrics.Flags) -> float:
    return float(flags.mean()) if flags.size else float("nan")


def report(collected: Mapping[str, Collected]) -> str:
    """Each set by a fit to all sets, and by a fit to the others."""
    header = ["set", "fitted to", "examples", *(name.replace("_", " ") for name in Figures.__dataclass_fields__)]
    return table(header, [row for name in collected for row in _rows(name, collected)])


def _rows(name: str, collected: Mapping[str, Collected]) -> Iterator[Row]:
    examples = collected[name].examples
    others = [one for other, one in collected.items() if other != name]
    fits = {"all": fit_to(collected.values())} | ({"the others": fit_to(others)} if others else {})
    for fitted_to, calibration in fits.items():
        yield [name, fitted_to, len(examples), *asdict(figures(calibration, examples)).values()]


def provenance(datasets: Sequence[Dataset], collected: Mapping[str, Collected], embedding: Embedding) -> dict[str, Any]:
    """What was fitted to what, when and by which command; no path of the machine."""
    sizes = {name: len(one.examples) for name, one in collected.items()}
    model = [] if embedding.model_name == BUILT_IN else ["--model", embedding.model_name]
    return {
        "date": date.today().isoformat(),  # noqa: DTZ011 - the day here
        "command": " ".join(["python -m eval calibrate", *sizes, *model]),
        "sets": {one.name: {"examples": sizes[one.name], "sha256": fingerprint(one)} for one in datasets},
        "embedding": embedding.fingerprint,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in MEASURED_WITH},
        "right": f"a gold answer contained, or token F1 of at least {metrics.RIGHT}",
        "refused": f"where that costs less, a wrong refusal counting as {REFUSAL_COST:g} answers where there is none",
    }

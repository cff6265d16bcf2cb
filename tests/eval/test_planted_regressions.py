"""The handbook's floors hold on this tree, and break where something is made worse on purpose.

Real answers to all of its questions: a minute or two in all, so `make gate-test` runs them and `make test` does not.
"""

from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from llama_index.core.node_parser import TokenTextSplitter

from eval import gate, measures, running
from eval.suites import find
from eval.targets import PipelineTarget
from pipelines import answerer
from pipelines.answerability import load_classifier
from pipelines.embedding import resolve_embedding
from pipelines.fusion import ConvexCombination

pytestmark = [pytest.mark.planted, pytest.mark.timeout(300)]

PARTS = frozenset({"answers", "retrieval"})
ELSEWHERE = {"follow_ups_answered", "follow_ups_fresh"}
"""Floors of what is not measured here: it doubles the time."""


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(measures, "RESAMPLES", 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("handbook")


@pytest.fixture(scope="module")
def models(folder):
    return {"embedding": resolve_embedding(data_folder=folder), "classifier": load_classifier(folder)}


@pytest.fixture
def broken(folder, models, tmp_path):
    """The floors that the handbook breaks where the library is opened like this."""

    async def of(place="index", **options):
        @asynccontextmanager
        async def opened(suite):
            target = await PipelineTarget.open(folder / place, suite.name, **models, **options)
            try:
                await target.ingest(suite.documents)
                yield target
            finally:
                await target.close()

        run = await running.run(running.Plan(suites=(find("handbook"),), parts=PARTS), opened, tmp_path / "run.json")
        floors = gate.load_thresholds()["handbook"]
        wanted = {"handbook": {name: bound for name, bound in floors.items() if name not in ELSEWHERE}}
        return {check.name.split()[1] for check in gate.checks(run, wanted) if check.passed is False}

    return of


async def test_the_clean_tree_keeps_its_floors(broken):
    """Whoever makes answers worse reads here by which measure."""
    assert await broken() == set()


async def test_a_search_without_bm25_is_noticed(broken):
    """Vectors alone find less."""
    assert {"nDCG@10", "right"} <= await broken(fusion=ConvexCombination(lexical_weight=0.0))


async def test_worse_passages_are_noticed(broken):
    """Cut at 256 tokens wherever that is, without headings."""
    assert {"gold_cited", "right"} & await broken("cut", splitter=TokenTextSplitter(chunk_size=256, chunk_overlap=0))


@pytest.mark.parametrize(("step", "measure"), [(0.15, "wrongly_refused"), (-0.15, "refused")])
async def test_a_threshold_that_was_moved_is_noticed(broken, monkeypatch, step, measure):
    """Higher refuses what has an answer, lower answers what has none."""
    own = answerer.calibration_for

    def moved(model):
        calibration = own(model)
        return replace(calibration, threshold=calibration.threshold + step)

    monkeypatch.setattr(answerer, "calibration_for", moved)
    assert measure in await broken()

"""ragas judges answers by a scripted model and by none; what it cannot decide is a failed case that is shown."""

import importlib.util
import os
from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from eval import judging
from eval.judge import Judge, JudgeSettings
from eval.judging import JUDGED, PLAIN, RagasMissing
from eval.records import Record
from eval.types import Cited
from tests.eval.scripted_judge import empty_handed, good, nonsense, serving

needs_ragas = pytest.mark.skipif(
    importlib.util.find_spec("ragas") is None, reason="ragas is not installed (make eval-env, then its pytest)"
)
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""ragas leaves a file of its own open, where it keeps an id that is sent nowhere here."""
TEXT = "Flights are booked 14 days ahead. Trains come first."
ROW = Record(
    suite="s",
    id="1",
    question="When are flights booked?",
    gold_answers=("two weeks", "14 days ahead"),
    gold_documents={"a": 1},
    answer="Flights are booked 14 days ahead. [1]",
    confidence=0.9,
    citations=(Cited("a", "Flights are booked 14 days ahead."), Cited("b", "The canteen opens at noon.")),
)
TEXTS = {"a": TEXT, "b": "The canteen opens at noon."}


class Words:
    """An embedding of the words' initials."""

    def embed_query(self, text):
        vector = np.zeros(26)
        for word in text.lower().split():
            vector[(ord(word[0]) - 97) % 26] += 1
        return vector


async def judged(tmp_path, say, rows=(ROW,), *, stalled=False, **settings):
    with serving(say) as server:
        server.stalled = stalled
        made = JudgeSettings(base_url=server.url, model="m", cache=tmp_path / "kept", **settings)
        async with Judge(made, pause=0.001) as judge:
            return await judging.judged(rows, TEXTS, judge, Words()), judge


def scores(row, metrics):
    return {one.name: row.metrics[one.name] for one in metrics if one.name in row.metrics}


@needs_ragas
async def test_without_a_model_answers_are_compared_with_gold():
    """The best gold answer counts; the gold sentence is among the cited ones, half of which are gold."""
    (row,) = await judging.judged([ROW], TEXTS)
    found = scores(row, PLAIN)
    assert found.keys() == {one.name for one in PLAIN}
    assert found["ragas_rouge"] == pytest.approx(2 * 3 / (6 + 3))
    assert found["ragas_string_similarity"] > 0.3
    assert (found["ragas_context_recall_plain"], found["ragas_context_precision_plain"]) == (1, pytest.approx(1))
    assert 0 <= found["ragas_bleu"] <= 1
    assert row.judge_errors == {}


@needs_ragas
async def test_a_good_judge_is_believed(tmp_path):
    """One of two statements is in the context; the context is useful and complete; the question is the same."""
    (row,), judge = await judged(tmp_path, good)
    assert scores(row, JUDGED) == {
        "ragas_faithfulness": pytest.approx(0.5),
        "ragas_answer_relevancy": pytest.approx(1),
        "ragas_context_precision": pytest.approx(1),
        "ragas_context_recall": 1,
    }
    assert row.judge_errors == {}
    assert judge.calls == 2 + 3 + 2 + 1


@needs_ragas
async def test_what_a_judge_said_is_not_asked_twice(tmp_path):
    """The second run makes no call and comes to the same."""
    with serving(good) as server:
        settings = JudgeSettings(base_url=server.url, model="m", cache=tmp_path)
        runs = []
        for _ in range(2):
            async with Judge(settings) as judge:
                runs.append(await judging.judged([ROW], TEXTS, judge, Words()))
    assert runs[0] == runs[1]
    assert (judge.calls, len(server.requests)) == (0, 8)


@needs_ragas
async def test_nonsense_is_a_failed_case(tmp_path):
    """Each judged measure is not a number, with the reason; what needs no judge stays; calls are few."""
    (row,), judge = await judged(tmp_path, nonsense)
    assert all(isnan(value) for value in scores(row, JUDGED).values())
    assert row.judge_errors.keys() == {one.name for one in JUDGED}
    assert all("RagasOutputParserException" in why for why in row.judge_errors.values())
    assert not isnan(row.metrics["ragas_rouge"])
    assert judge.calls <= 4 * 4 + 2


@needs_ragas
async def test_a_judge_with_nothing_to_say_is_a_failed_case(tmp_path):
    """ragas makes NaN of an answer without statements: it is said so, and the others are measured."""
    (row,), _ = await judged(tmp_path, empty_handed)
    assert isnan(row.metrics["ragas_faithfulness"])
    assert row.judge_errors == {"ragas_faithfulness": judging.NOT_DECIDED}
    assert row.metrics["ragas_context_recall"] == 1


@needs_ragas
async def test_a_stalling_judge_is_a_failed_case(tmp_path):
    """In time, with the reason."""
    (row,), _ = await judged(tmp_path, good, stalled=True, timeout=0.2)
    assert set(row.judge_errors.values()) == {"the judge did not answer within 0.2 s"}


@needs_ragas
async def test_cost_is_bounded(tmp_path):
    """Of five rows with three calls only the first cases are judged; the others say why not."""
    rows = [replace(ROW, id=str(at), question=f"Question {at}?") for at in range(5)]
    done, judge = await judged(tmp_path, good, rows, most_calls=3)
    assert judge.calls == 3
    assert "all 3 calls of the judge are used up" in {why for row in done for why in row.judge_errors.values()}


@needs_ragas
async def test_only_answers_given_are_judged():
    """A refusal and a failure stay as they are; without gold answers nothing is compared with them."""
    refused = replace(ROW, answer="Nothing was found.", refused=True, citations=())
    failed = replace(ROW, answer=None, error="TargetError: gone")
    bare = replace(ROW, gold_answers=(), gold_documents={})
    done = await judging.judged([refused, failed, bare], TEXTS)
    assert done[:2] == [refused, failed]
    assert scores(done[2], PLAIN) == {}


@needs_ragas
def test_nobody_is_told_that_ragas_was_used():
    """Its usage statistics are off before it is imported."""
    judging.ragas()
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"


def test_without_the_extra_the_way_to_it_is_said(monkeypatch):
    """In a sentence, with what could not be imported."""
    judging.ragas.cache_clear()
    monkeypatch.setattr(judging, "import_module", _missing)
    with pytest.raises(RagasMissing, match=r"make eval-env.*\(no ragas\)"):
        judging.ragas()
    judging.ragas.cache_clear()


def _missing(name):
    raise ImportError("no ragas")

"""What a run writes is read again as it was; what is no run is refused with a sentence."""

import json
from math import isnan

import pytest

from eval.metrics import Estimate
from eval.records import FollowUp, Record, Run, RunFileError, SuiteResult, load_run, save
from eval.types import Cited

ROW = Record(
    suite="s",
    id="1",
    question="When? 日本",
    gold_answers=("soon",),
    gold_documents={"a": 1},
    answer="Soon. [1]",
    confidence=0.5,
    citations=(Cited("a", "Soon.", 0.4),),
    follow_ups=(FollowUp("Why?", 0.3, refused=False),),
    found=("a", "b"),
    metrics={"right": 1.0},
    seconds=0.1,
)
SUITE = SuiteResult(
    name="s",
    documents=2,
    questions=1,
    asked=1,
    data_sha256="0",
    measures={"right": Estimate(1.0, 1.0, 1.0, 1)},
    reliability=({"count": 1, "confidence": 0.5},),
)
RUN = Run(provenance={"seed": 0}, suites=(SUITE,), rows=(ROW,), notes=("so",))


def test_a_run_is_read_as_it_was_written(tmp_path):
    """Every row, citation and estimate."""
    save(RUN, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json") == RUN


def test_a_row_has_what_a_reader_looks_for(tmp_path):
    """Question, answer, confidence, citations, gold, metrics, error and seconds, under a version of the schema."""
    save(RUN, tmp_path / "run.json")
    raw = json.loads((tmp_path / "run.json").read_text())
    assert raw["schema"] == 1
    wanted = {"question", "answer", "confidence", "citations", "gold_answers", "gold_documents", "metrics", "error"}
    assert wanted | {"seconds"} <= raw["rows"][0].keys()


def test_what_could_not_be_measured_is_null_and_comes_back_as_no_number(tmp_path):
    """JSON has no NaN."""
    failed = Record(suite="s", id="2", question="?", metrics={"faithfulness": float("nan")})
    save(Run(provenance={}, suites=(), rows=(failed,)), tmp_path / "run.json")
    assert '"faithfulness": null' in (tmp_path / "run.json").read_text()
    assert isnan(load_run(tmp_path / "run.json").rows[0].metrics["faithfulness"])


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "rows": 3}'])
def test_what_is_no_run_is_refused(tmp_path, text):
    """With the file's name."""
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(RunFileError, match=r"run\.json"):
        load_run(path)


def test_a_run_that_is_not_there_is_refused(tmp_path):
    """The same."""
    with pytest.raises(RunFileError, match=r"nothing\.json: cannot be read"):
        load_run(tmp_path / "nothing.json")


def test_a_run_that_was_interrupted_is_told_as_such(tmp_path):
    """Its rows so far are a file of their own, which is easily named by mistake."""
    (tmp_path / "run.jsonl").write_text("{}\n{}\n")
    with pytest.raises(RunFileError, match="not a finished run"):
        load_run(tmp_path / "run.jsonl")

"""A notebook's runs are those of the command line: same rows, same provenance, nothing left behind."""

import pytest

from eval import opening
from eval.datasets import Dataset, Question
from eval.trials import run_library, run_service
from eval.types import Cited, Found, Reply
from pipelines.configuration import Configuration
from pipelines.types import NewDocument

DOCUMENT = NewDocument(source="s", external_id="a", title="A", content="The heron nests in April.")
SUITE = Dataset("small", (DOCUMENT,), (Question("q", "When?", ("April",)),), {"q": {"a": 1}})


class Scripted:
    """Knows one answer."""

    waited = 0.0

    def __init__(self):
        self.opened = []

    async def open(self, folder, name, **options):
        self.opened.append((folder, options))
        return self

    async def ingest(self, documents):
        self.documents = documents

    async def search(self, question, limit=10):
        return [Found("a", "The heron nests in April.", 1.0)]

    async def ask(self, question):
        return Reply("In April. [1]", 0.9, (Cited("a", "The heron nests in April."),))

    async def close(self):
        self.closed = True


@pytest.fixture
def target(monkeypatch):
    made = Scripted()
    monkeypatch.setattr(opening, "PipelineTarget", made)
    monkeypatch.setattr(Configuration, "options", lambda self, folder: {"embedding": "model"})
    return made


async def test_the_library_is_run_as_tuned(target, tmp_path):
    """Measures, and what they were measured with; the folder holds indexes and nothing else of the run."""
    tuned = Configuration.of({"fusion": {"lexical_weight": 0.4}})
    run = await run_library(SUITE, tmp_path, tuned, parts=["retrieval", "answers"])
    assert run.suites[0].measures["right"].mean == run.suites[0].measures["nDCG@10"].mean == 1.0
    assert run.provenance["configuration"] == {"fusion": {"lexical_weight": 0.4}}
    assert target.opened == [(tmp_path / "small", {"embedding": "model"})]
    assert target.closed
    assert list(tmp_path.iterdir()) == []


async def test_only_what_is_wanted_is_measured(target, tmp_path):
    """Retrieval alone asks for no answers."""
    run = await run_library(SUITE, tmp_path, parts=["retrieval"], mode="lexical")
    assert "right" not in run.suites[0].measures
    assert target.opened[0][1]["words_only"]


async def test_a_service_is_run_by_its_address(monkeypatch):
    """With the key it was given, which the run does not keep; what is to be told is printed."""
    made = []
    monkeypatch.setattr("eval.trials.HttpTarget", lambda url, key, tell: made.append((url, key, tell)) or Scripted())
    run = await run_service(SUITE, "http://localhost:1", "secret", parts=["answers"])
    assert made == [("http://localhost:1", "secret", print)]
    assert run.suites[0].measures["right"].mean == 1.0
    assert run.provenance["target"] == "http://localhost:1"
    assert "secret" not in str(run.provenance)

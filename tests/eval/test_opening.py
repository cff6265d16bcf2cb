"""A target is opened with its suite's documents in it, and closed whatever happens."""

import pytest

from eval import opening
from eval.datasets import Dataset, Question
from eval.types import TargetError
from pipelines.configuration import Configuration
from pipelines.types import NewDocument

SUITE = Dataset("small", (NewDocument(source="s", external_id="a", title="A", content="Text."),), (Question("q", "?"),))


class Recorded:
    def __init__(self, *arguments, **options):
        self.arguments = arguments
        self.options = options
        self.opened = []
        self.ingested = self.closed = None

    async def open(self, folder, name, **options):
        self.opened.append((folder, name, options))
        return self

    async def ingest(self, documents):
        self.ingested = documents

    async def close(self):
        self.closed = True


@pytest.fixture
def library(monkeypatch):
    target = Recorded()
    monkeypatch.setattr(opening, "PipelineTarget", target)
    monkeypatch.setattr(Configuration, "options", lambda self, folder: {"embedding": "model"})
    return target


async def test_the_library_is_opened_in_a_folder_of_the_suite(library, tmp_path):
    """Documents are in it; it is closed."""
    async with opening.library(tmp_path, "hybrid", Configuration())(SUITE) as target:
        assert target.ingested == SUITE.documents
        assert not target.closed
    assert library.opened == [(tmp_path / "small", "small", {"embedding": "model"})]
    assert library.closed


async def test_another_way_of_indexing_has_another_folder(library, tmp_path):
    """So that a kept folder never mixes them."""
    async with opening.library(tmp_path, "hybrid", Configuration.of({"passages": {"overlap": 1}}))(SUITE):
        pass
    assert library.opened[0][0].name.startswith("small-")


@pytest.mark.parametrize(("mode", "option"), [("vectors", "fusion"), ("lexical", "words_only")])
async def test_a_mode_is_an_option(library, tmp_path, mode, option):
    """Vectors alone are a fusion without words, words alone a search of their own."""
    async with opening.library(tmp_path, mode, Configuration())(SUITE):
        pass
    assert option in library.opened[0][2]


async def test_a_service_is_opened_with_its_key(monkeypatch):
    """From the variable that is named, and with whom it tells."""
    made = []
    monkeypatch.setattr(
        opening, "HttpTarget", lambda *arguments, **options: made.append(Recorded(*arguments, **options)) or made[0]
    )
    monkeypatch.setenv("SOME_KEY", "secret")
    async with opening.service("http://localhost:1", "SOME_KEY", print)(SUITE) as target:
        assert target.arguments == ("http://localhost:1", "secret")
        assert target.options == {"tell": print}
    assert made[0].closed


@pytest.mark.parametrize(("url", "message"), [("localhost:1", "http://"), ("http://localhost:1", "NO_KEY")])
def test_what_is_no_service_is_refused(monkeypatch, url, message):
    """Before anything is asked."""
    monkeypatch.delenv("NO_KEY", raising=False)
    with pytest.raises(TargetError, match=message):
        opening.service(url, "NO_KEY", print)


async def test_each_suite_has_arguments_of_its_own(library, tmp_path, monkeypatch):
    """A library closes the reranker that it was given: the next suite needs another one."""
    monkeypatch.setattr(Configuration, "options", lambda self, folder: {"postprocessors": [object()]})
    opened = opening.library(tmp_path, "hybrid", Configuration())
    for _ in range(2):
        async with opened(SUITE):
            pass
    [(_, _, one), (_, _, other)] = library.opened
    assert one["postprocessors"] != other["postprocessors"]

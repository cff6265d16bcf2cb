"""One contract for both lexical engines: Tantivy on disk, and LlamaIndex's BM25Retriever in memory."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from pipelines.lexical import LexicalIndex, TantivyIndex
from pipelines.lexical_snapshot import SnapshotIndex
from pipelines.store.changes import IndexedPassage, Step
from pipelines.types import Scope

ORGANIZATION = UUID(int=1)
EVERYTHING = Scope(ORGANIZATION)
TEXTS = {
    1: "the heron nests by the river",
    2: "the heron hunts, the heron waits",
    3: "a kite circles over the fields all day long and never tires",
    4: "river levels rose in spring",
}


def passage(
    number: int, text: str, *, document: int | None = None, source: str = "wiki", day: int = 1
) -> IndexedPassage:
    return IndexedPassage(
        id=number,
        document_id=UUID(int=document or number),
        source=source,
        day=date(2026, 1, day),
        language="en",
        text=text,
        context="",
        vector=np.zeros(4, np.float32),
    )


class LexicalContract:
    """What every engine promises."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> LexicalIndex:
        raise NotImplementedError

    @pytest.fixture
    def filled(self, index: LexicalIndex) -> LexicalIndex:
        index.apply(Step(0, 4, (), tuple(passage(number, text) for number, text in TEXTS.items())))
        return index

    def test_more_of_a_word_ranks_higher(self, filled: LexicalIndex) -> None:
        """Best first, with scores above 0; what has none of the words is no hit."""
        found = filled.search(["heron"], EVERYTHING, 10)
        assert list(found) == [2, 1]
        assert found[2] > found[1] > 0

    def test_the_limit_holds(self, filled: LexicalIndex) -> None:
        """The best `limit` come back."""
        assert list(filled.search(["heron"], EVERYTHING, 1)) == [2]

    def test_scores_of_given_passages_are_those_of_the_search(self, filled: LexicalIndex) -> None:
        """The same number however it is asked for; passages without a word, or unknown, are left out."""
        assert filled.scores(["heron"], [1, 3, 99]) == pytest.approx({1: filled.search(["heron"], EVERYTHING, 10)[1]})
        assert filled.scores(["heron"], []) == {}

    def test_rare_words_weigh_more(self, filled: LexicalIndex) -> None:
        """Inverse document frequency: ln(1 + (N - n + .5) / (n + .5)), 0 for a word that is not there."""
        weights = filled.weights(["heron", "kite", "dragon"])
        assert weights == pytest.approx({"heron": np.log(1 + 2.5 / 2.5), "kite": np.log(1 + 3.5 / 1.5), "dragon": 0.0})

    def test_filters_come_before_the_cut(self, index: LexicalIndex) -> None:
        """By source and by day, both inclusive, full `limit` from what they leave, never a passage outside."""
        near = [passage(n, "heron heron") for n in range(1, 40)]
        far = [passage(100 + n, "heron and much else besides", source="far", day=n) for n in range(1, 10)]
        index.apply(Step(0, 1, (), tuple(near + far)))
        far_only = Scope(ORGANIZATION, sources=frozenset({"far"}))
        assert set(index.search(["heron"], far_only, 5)) <= {one.id for one in far}
        assert len(index.search(["heron"], far_only, 5)) == 5
        days = Scope(ORGANIZATION, sources=frozenset({"far", "x"}), start=date(2026, 1, 3), end=date(2026, 1, 4))
        assert set(index.search(["heron"], days, 5)) == {103, 104}
        assert index.search(["heron"], Scope(ORGANIZATION, sources=frozenset({"nowhere"})), 5) == {}

    def test_following_takes_out_and_puts_in(self, filled: LexicalIndex) -> None:
        """A changed document's old passages go, its new ones come, the number moves on."""
        filled.apply(Step(4, 6, (UUID(int=2), UUID(int=3)), (passage(7, "the kite waits", document=3),)))
        assert filled.position() == 6
        assert filled.ids() == {1, 4, 7}
        assert list(filled.search(["heron"], EVERYTHING, 10)) == [1]

    def test_a_step_from_elsewhere_changes_nothing(self, filled: LexicalIndex) -> None:
        """A step that was overtaken by another process is not applied a second time."""
        filled.apply(Step(0, 4, (), (passage(1, "heron"),)))
        assert (filled.position(), filled.ids()) == (4, {1, 2, 3, 4})

    def test_an_empty_index_finds_nothing(self, index: LexicalIndex) -> None:
        """No error: position 0, no hits, no languages."""
        assert index.position() == 0
        assert index.search(["heron"], EVERYTHING, 5) == {}
        assert index.weights(["heron"]) == {"heron": 0.0}
        assert index.languages == frozenset()

    def test_it_knows_its_languages(self, filled: LexicalIndex) -> None:
        """Those of its documents."""
        assert filled.languages == {"en"}


class TestTantivy(LexicalContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> LexicalIndex:
        return TantivyIndex(tmp_path)

    def test_another_reader_sees_what_was_committed(self, tmp_path: Path, filled: LexicalIndex) -> None:
        """Opened a second time it stands where the first one stands; later changes are seen on refresh."""
        other = TantivyIndex(tmp_path)
        assert (other.position(), other.ids()) == (4, {1, 2, 3, 4})
        filled.apply(Step(4, 5, (UUID(int=1),), ()))
        other.refresh()
        assert (other.position(), other.ids()) == (5, {2, 3, 4})


class TestSnapshot(LexicalContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        return SnapshotIndex(k1=1.2)

    def test_both_engines_rank_alike(self, filled: LexicalIndex, tmp_path: Path) -> None:
        """With the same k1 and b the two agree on the order."""
        make: Callable[[Path], LexicalIndex] = TantivyIndex
        tantivy = make(tmp_path)
        tantivy.apply(Step(0, 4, (), tuple(passage(number, text) for number, text in TEXTS.items())))
        terms = ["heron", "river", "day"]
        assert list(tantivy.search(terms, EVERYTHING, 10)) == list(filled.search(terms, EVERYTHING, 10))

"""Questions' vectors, made in threads of their own."""

from collections.abc import Iterator
from threading import Event
from uuid import UUID

import numpy as np
import pytest

from pipelines.question_vectors import QuestionVectors
from pipelines.types import Vector
from tests.pipelines.conftest import ORGANIZATION, OTHER, WordHashing


class Counting(WordHashing):
    """Notes what it embeds; stops at a question to hold until it is released, refuses one to refuse."""

    def __init__(self) -> None:
        super().__init__(embedded=[])
        self.asked: list[str] = []
        self.held, self.released = Event(), Event()

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        if text == "hold":
            self.held.set()
            self.released.wait(30)
        if text == "refuse":
            raise RuntimeError("refused")
        return super().embed_query(text)


@pytest.fixture
def model() -> Iterator[Counting]:
    model = Counting()
    yield model
    model.released.set()


@pytest.fixture
def vectors(model: Counting) -> Iterator[QuestionVectors]:
    vectors = QuestionVectors(model, threads=1, remembered=2)
    yield vectors
    vectors.close()


def ask(vectors: QuestionVectors, question: str, organization_id: UUID = ORGANIZATION) -> Vector:
    return vectors.begin(organization_id, question)()


def test_a_question_is_embedded_once(vectors: QuestionVectors, model: Counting) -> None:
    """Until others have pushed it out, and for its organization alone."""
    first = ask(vectors, "one")
    assert ask(vectors, "one") is first
    assert np.array_equal(ask(vectors, "one", OTHER), first)
    assert model.asked == ["one", "one"]
    ask(vectors, "two")
    ask(vectors, "one")
    assert model.asked == ["one", "one", "two", "one"]


def test_who_waits_makes_it_if_nobody_has_begun(vectors: QuestionVectors, model: Counting) -> None:
    """While the one thread is held, another question does not wait for it."""
    waiting = vectors.begin(ORGANIZATION, "hold")
    assert model.held.wait(30)
    assert ask(vectors, "next").shape == (64,)
    model.released.set()
    assert waiting().shape == (64,)
    assert model.asked == ["hold", "next"]


def test_a_failure_is_raised_and_not_kept(vectors: QuestionVectors, model: Counting) -> None:
    """It is tried again with the next question."""
    for _ in range(2):
        with pytest.raises(RuntimeError, match="refused"):
            ask(vectors, "refuse")
    assert model.asked == ["refuse", "refuse"]

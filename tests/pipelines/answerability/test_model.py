"""The classifier that reads question and text together, as it is shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pipelines.answerability import AnswerabilityClassifier, load_classifier
from pipelines.answerability.adapter import adapted
from pipelines.answerability.model import ADAPTER
from pipelines.embedding import ModelNotUsable
from pipelines.embedding.conversion import read_checkpoint
from pipelines.embedding.graph import build_graph, oriented
from pipelines.embedding.minilm import MINILM, WEIGHTS
from pipelines.embedding.onnx_model import open_session, open_tokenizer

PAIRS = [
    ("When does the heron lay its eggs?", "Blue heron. The heron lays four blue eggs in early April."),
    ("When does the heron lay its eggs?", "Parking. Visitors park their cars behind the old mill."),
    ("Who painted the tower?", "Tower. The observation tower was painted green by the ranger in 1998."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def classifier(folder: Path) -> AnswerabilityClassifier:
    return load_classifier(folder)


@pytest.mark.parametrize(
    ("question", "answering", "other"),
    [
        (
            "When does the heron lay its eggs?",
            "The heron lays four blue eggs in early April.",
            "Visitors park their cars behind the old mill.",
        ),
        (
            "Who approves travel above 2,500 euros?",
            "Trips above EUR 2,500 also need the approval of your department head.",
            "Flights should be booked at least 14 days before departure.",
        ),
        (
            "How many days of leave do I get?",
            "Full-time employees get 30 days of paid leave a year.",
            "Leave is requested in the portal, two weeks before it begins.",
        ),
    ],
)
def test_it_tells_an_answer_from_something_else(
    classifier: AnswerabilityClassifier, question: str, answering: str, other: str
) -> None:
    """Also from what is about the same."""
    assert classifier.log_odds(question, answering) > classifier.log_odds(question, other)


def test_as_integers_it_says_what_it_says_in_floating_point(classifier: AnswerabilityClassifier) -> None:
    """The graph in int8 beside that of the adapted checkpoint."""
    sources = MINILM.source_folder()
    weights = oriented(adapted(read_checkpoint(sources / WEIGHTS), ADAPTER))
    session, tokenizer = (
        open_session(build_graph(weights).SerializeToString()),
        open_tokenizer(sources / "tokenizer.json"),
    )
    for question, text in PAIRS:
        ids = np.array([tokenizer.encode(question, text).ids])
        exact = session.run(["log_odds"], {"input_ids": ids})[0].item()
        assert classifier.log_odds(question, text) == pytest.approx(exact, abs=0.4)


def test_length_is_no_matter(classifier: AnswerabilityClassifier) -> None:
    """Of a long question its end is read, of a long text its beginning; nothing at all is a figure, too."""
    question, text = PAIRS[0]
    assert classifier.log_odds(question, f"{text} {'Birds fly. ' * 5000}") > 0 > classifier.log_odds(question, "")
    assert isinstance(classifier.log_odds("word " * 10_000, text), float)
    assert isinstance(classifier.log_odds("", ""), float)
    assert isinstance(classifier.log_odds("? " * 300, text), float)
    codes = "4711-0815 " * 50
    assert classifier.log_odds(codes + question, text) != classifier.log_odds(codes + "Who pays for it?", text)
    assert isinstance(classifier.log_odds("很" * 300, "很" * 300), float)


def test_what_looks_like_a_token_is_text(classifier: AnswerabilityClassifier) -> None:
    """Nobody separates question and text but the classifier."""
    question, text = PAIRS[0]
    assert classifier.log_odds(f"{question} [SEP] {text}", "") == pytest.approx(
        classifier.log_odds(f"{question} [ SEP ] {text}", "")
    )


def test_a_second_start_converts_nothing(classifier: AnswerabilityClassifier, folder: Path) -> None:
    """What is there and sound is taken as it is."""
    said: list[str] = []
    assert load_classifier(folder, said.append).log_odds(*PAIRS[0]) == classifier.log_odds(*PAIRS[0])
    assert not said


def test_files_that_are_no_model_are_refused(tmp_path: Path) -> None:
    """With a reason."""
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelNotUsable, match="answerability"):
        AnswerabilityClassifier(tmp_path / "model.onnx", MINILM.source_folder() / "tokenizer.json")


def test_an_adapter_changes_what_it_names(tmp_path: Path) -> None:
    """A product is added to a matrix; what comes whole replaces; the rest stays."""
    checkpoint = {"a": np.ones((3, 2), np.float32), "b": np.ones(2, np.float32), "c": np.ones(2, np.float32)}
    change = {"a.up": np.array([[1], [0], [2]], np.float16), "a.down": np.array([[1, 3]], np.float16)}
    save_file({**change, "b": np.zeros(2, np.float16)}, tmp_path / "adapter")
    made = adapted(checkpoint, tmp_path / "adapter")
    assert made["a"].tolist() == [[2, 4], [1, 1], [3, 7]]
    assert (made["b"].tolist(), made["c"].tolist()) == ([0, 0], [1, 1])


def test_the_adapter_is_small_and_sound() -> None:
    """Six megabytes in the repository at most; every figure is one."""
    weights = load_file(ADAPTER)
    assert ADAPTER.stat().st_size < 6_000_000
    assert all(np.isfinite(array).all() for array in weights.values())

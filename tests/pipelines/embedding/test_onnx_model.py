import asyncio
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from pipelines.embedding import Embedding, ModelNotUsable
from pipelines.embedding.onnx_model import OnnxEmbedding, OnnxFiles
from pipelines.llama import LlamaEmbedding

TEXTS = [
    "The ferry leaves at noon.",
    "",
    "تغادر العبارة عند الظهر.",
    "渡轮中午出发。",
    "Фергюс ждёт на пристани 🚢",
    "word " * 400,
    "A paragraph with several sentences. Some are short. Others go on, with commas, numbers such as 3.14, and more.",
    "\x00 odd characters \u200b\t\n",
]


def test_vectors_are_unit_length(model: Embedding) -> None:
    """Every text, also empty, Arabic, Chinese and overlong ones, has a vector of length 1."""
    vectors = model.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), model.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_no_texts_have_no_vectors(model: Embedding) -> None:
    """Embedding nothing gives an array of no rows."""
    assert model.embed_passages([]).shape == (0, 384)


def test_neighbours_do_not_matter(model: Embedding) -> None:
    """A text's vector is the same, bit for bit, alone, among others and in any order."""
    together = model.embed_passages(TEXTS)
    order = np.random.default_rng(1).permutation(len(TEXTS))
    assert np.array_equal(model.embed_passages([TEXTS[at] for at in order]), together[order])
    assert np.array_equal(np.stack([model.embed_passages([text])[0] for text in TEXTS]), together)
    assert np.array_equal(np.stack([model.embed_query(text) for text in TEXTS]), together)


def test_threads_do_not_matter(model: Embedding) -> None:
    """Questions and bulk work from many threads at once get the vectors they get alone."""
    expected = model.embed_passages(TEXTS)
    with ThreadPoolExecutor(8) as pool:
        bulk = [pool.submit(model.embed_passages, TEXTS) for _ in range(8)]
        questions = [pool.submit(model.embed_query, text) for text in TEXTS for _ in range(4)]
    assert all(np.array_equal(future.result(), expected) for future in bulk)
    assert np.array_equal(np.stack([future.result() for future in questions]), np.repeat(expected, 4, axis=0))


def test_texts_are_cut_at_the_window(model: Embedding) -> None:
    """Of a long text the tokens that fit between the special ones count, and no others."""
    fitting = " ".join(["word"] * (model.window - 2))
    assert model.count_tokens(fitting) == model.window - 2
    assert np.array_equal(model.embed_query(f"{fitting} and this is beyond"), model.embed_query(fitting))
    assert not np.array_equal(model.embed_query(fitting.removesuffix(" word")), model.embed_query(fitting))


def test_scripts_are_told_apart(model: Embedding) -> None:
    """Different Chinese texts have different vectors, and a text's composed and decomposed forms have one."""
    assert model.embed_query("渡轮中午出发。") @ model.embed_query("猫在睡觉。") < 0.99
    decomposed = unicodedata.normalize("NFD", "Café Zürich")
    assert np.array_equal(model.embed_query("Café Zürich"), model.embed_query(decomposed))


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("hello", 1), ("hello, world", 3), ("embeddings", 4)])
def test_tokens_are_counted(model: Embedding, text: str, tokens: int) -> None:
    """Counted are the model's own tokens, without special ones, far beyond the window."""
    assert model.count_tokens(text) == tokens
    assert model.count_tokens(f"{text} " * 1000) == tokens * 1000


async def test_llama_index_gets_the_same(model: Embedding) -> None:
    """LlamaIndex's methods, also the asynchronous ones, give the vectors of the direct ones."""
    vectors, llama = model.embed_passages(TEXTS).tolist(), LlamaEmbedding(model)
    assert llama.get_text_embedding_batch(TEXTS) == vectors
    assert llama.get_text_embedding(TEXTS[0]) == llama.get_query_embedding(TEXTS[0]) == vectors[0]
    assert await llama.aget_text_embedding_batch(TEXTS) == vectors
    assert await llama.aget_text_embedding(TEXTS[0]) == await llama.aget_query_embedding(TEXTS[0]) == vectors[0]


async def test_the_event_loop_goes_on(model: Embedding) -> None:
    """While texts are embedded asynchronously the event loop does other work."""
    ticks = 0
    embedding = asyncio.create_task(LlamaEmbedding(model).aget_text_embedding_batch(["some words " * 100] * 20))
    while not embedding.done():
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks > 5
    assert len(await embedding) == 20


def test_questions_stay_in_their_thread(model: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is embedded in its caller's thread, passages in the workers'."""
    assert isinstance(model, OnnxEmbedding)
    names: list[str] = []
    session = model._session

    class Watched:
        def run(self, *arguments: object) -> object:
            names.append(threading.current_thread().name)
            return session.run(*arguments)

    monkeypatch.setattr(model, "_session", Watched())
    model.embed_query("a question")
    model.embed_passages(["a passage"])
    assert names[0] == threading.current_thread().name
    assert names[1].startswith("embed")


def test_unusable_files_are_told(model: Embedding, tmp_path: Path) -> None:
    """A graph or tokenizer that is not one is refused by its file's name."""
    assert isinstance(model, OnnxEmbedding)
    broken = tmp_path / "broken.file"
    broken.write_bytes(b"{}")
    good = model._files
    for graph, tokenizer in ((broken, good.tokenizer), (good.graph, broken)):
        files = OnnxFiles(name="x", graph=graph, tokenizer=tokenizer, fingerprint="x", max_tokens=8)
        with pytest.raises(ModelNotUsable, match=r"broken\.file"):
            OnnxEmbedding(files)

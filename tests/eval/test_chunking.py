import json
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.node_parser import SentenceSplitter

from eval import chunking
from eval.chunking import Chunk, ChunkingDataError, Question, Scores, chunks_of, evaluate, load_corpora, load_questions
from pipelines.embedding import Embedding, Vectors, unit
from pipelines.types import Vector

TEXTS = {"a": "Herons nest by the river. Owls hunt at night.", "b": "Trains leave at nine. Trains leave at nine."}


class Letters(Embedding):
    """A text's vector is how often each letter is in it."""

    @property
    def dimension(self) -> int:
        return 26

    @property
    def window(self) -> int:
        return 256

    @property
    def fingerprint(self) -> str:
        return "letters"

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_query(self, text: str) -> Vector:
        return unit(np.array([text.lower().count(chr(97 + letter)) for letter in range(26)], np.float32))

    def embed_passages(self, texts: list[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "corpora" / f"{name}.md").write_text(text)
    write(tmp_path, [{"content": "Owls hunt at night.", "start_index": 26, "end_index": 45}])
    return tmp_path


def write(folder: Path, references: list[dict[str, object]]) -> None:
    quoted = json.dumps(references).replace('"', '""')
    (folder / "questions_df.csv").write_text(f'question,references,corpus_id\nWhen do owls hunt?,"{quoted}",a\n')


def test_data_is_read_and_checked(folder: Path) -> None:
    """References are ranges of their corpus; what does not stand there, or is not there at all, is refused."""
    corpora = load_corpora(folder)
    assert corpora == TEXTS
    assert load_questions(folder, corpora) == [Question("When do owls hunt?", "a", ((26, 45),))]
    write(folder, [{"content": "Owls", "start_index": 0, "end_index": 4}])
    with pytest.raises(ChunkingDataError, match="not in a where"):
        load_questions(folder, corpora)
    with pytest.raises(ChunkingDataError, match="corpora"):
        load_corpora(folder / "corpora")
    with pytest.raises(ChunkingDataError, match="not there"):
        load_questions(folder / "corpora", corpora)


def test_scores() -> None:
    """Recall, precision and IoU are shares of characters; what another corpus brings only costs precision."""
    question = Question("?", "a", ((0, 10), (5, 20)))
    assert chunking.scores_of(question, [Chunk("a", 0, 20, "")]) == Scores(1.0, 1.0, 1.0)
    assert chunking.scores_of(question, [Chunk("a", 10, 30, "")]) == Scores(0.5, 0.5, 10 / 30)
    assert chunking.scores_of(question, [Chunk("a", 0, 20, ""), Chunk("b", 0, 20, "")]) == Scores(1.0, 0.5, 0.5)
    assert chunking.scores_of(question, [Chunk("a", 0, 20, ""), Chunk("a", 0, 20, "")]) == Scores(1.0, 0.5, 0.5)
    assert chunking.scores_of(question, []) == Scores(0.0, 0.0, 0.0)


def test_chunks_stand_where_they_are_found() -> None:
    """Chunks with the same text are at different places."""
    chunks = chunks_of(SentenceSplitter(chunk_size=8, chunk_overlap=0), TEXTS)
    assert all(TEXTS[chunk.corpus][chunk.start : chunk.end] == chunk.embedded for chunk in chunks)
    assert [chunk.range for chunk in chunks if chunk.corpus == "b"] == [(0, 21), (22, 43)]


def test_evaluation() -> None:
    """A question is scored by the chunks nearest to it."""
    chunks = chunks_of(SentenceSplitter(chunk_size=8, chunk_overlap=0), TEXTS)
    question = Question("Owls hunt at night?", "a", ((26, 45),))
    assert evaluate(chunks, [question], Letters(), retrieved=1) == Scores(1.0, 1.0, 1.0)


def test_command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints a row for each splitter, and refuses a folder without data."""
    monkeypatch.setattr(chunking, "resolve_embedding", lambda data_folder: Letters())
    chunking.main([str(folder), "--target", "64", "--retrieved", "1"])
    rows = capsys.readouterr().out.splitlines()
    assert [row.split("|")[1].strip() for row in rows][2:4] == ["ours, 64 tokens", "SentenceSplitter, default"]
    with pytest.raises(SystemExit, match="corpora"):
        chunking.main([str(folder / "corpora")])

"""Splitters compared by what retrieval brings of the reference texts: `python -m eval.chunking DATA`.

DATA holds `corpora/*.md` and `questions_df.csv` as Chroma's chunking evaluation publishes them (Smith, Troynikov 2024,
"Evaluating Chunking Strategies for Retrieval"). The passages of all corpora are in one pool; those nearest to a
question by cosine are compared with its references, by characters: recall is the share of the references that was
retrieved, precision the share of what was retrieved that is in references, IoU both in one.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter, TokenTextSplitter
from llama_index.core.node_parser.interface import NodeParser
from llama_index.core.schema import MetadataMode

from eval.report import Row, table
from pipelines.embedding import Embedding, resolve_embedding
from pipelines.text.splitter import PassageSplitter

RETRIEVED = 5
TARGETS = (64, 96, 128, 160, 200, 240)
LONGEST_FIELD = 10_000_000

Range = tuple[int, int]


class ChunkingDataError(ValueError):
    """The folder is no chunking data; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    corpus: str
    references: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is retrieved, `corpus[start:end]`, and what was embedded of it."""

    corpus: str
    start: int
    end: int
    embedded: str

    @property
    def range(self) -> Range:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Scores:
    """Of one question, or their means; 0..1."""

    recall: float
    precision: float
    iou: float


def load_corpora(folder: Path) -> dict[str, str]:
    """Texts by name."""
    corpora = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    if not corpora:
        raise ChunkingDataError(f"{folder}: there is no corpora/*.md")
    return corpora


def load_questions(folder: Path, corpora: Mapping[str, str]) -> list[Question]:
    """The questions, with references that stand where they are said to."""
    csv.field_size_limit(LONGEST_FIELD)
    path = folder / "questions_df.csv"
    if not path.is_file():
        raise ChunkingDataError(f"{path} is not there")
    with path.open(encoding="utf-8", newline="") as file:
        return [_question(row, corpora) for row in csv.DictReader(file)]


def _question(row: Mapping[str, str], corpora: Mapping[str, str]) -> Question:
    references = json.loads(row["references"])
    ranges = tuple((int(one["start_index"]), int(one["end_index"])) for one in references)
    text = corpora.get(row["corpus_id"], "")
    if any(text[start:end] != one["content"] for (start, end), one in zip(ranges, references, strict=True)):
        raise ChunkingDataError(f"a reference of {row['question']!r} is not in {row['corpus_id']} where it should be")
    return Question(row["question"], row["corpus_id"], ranges)


def chunks_of(splitter: NodeParser, corpora: Mapping[str, str]) -> list[Chunk]:
    """The splitter's nodes, each where its text stands behind the beginning of the one before."""
    return list(chain.from_iterable(_chunks(splitter, name, text) for name, text in corpora.items()))


def _chunks(splitter: NodeParser, name: str, text: str) -> Iterator[Chunk]:
    at = 0
    for node in splitter.get_nodes_from_documents([Document(text=text)]):
        content = node.get_content(metadata_mode=MetadataMode.NONE)
        start = text.index(content, at)
        yield Chunk(name, start, start + len(content), node.get_content(metadata_mode=MetadataMode.EMBED))
        at = start + 1


def scores_of(question: Question, retrieved: Sequence[Chunk]) -> Scores:
    """What is retrieved twice counts twice in precision and IoU, once in recall."""
    references = _union(question.references)
    own = _union(chunk.range for chunk in retrieved if chunk.corpus == question.corpus)
    hit = _length(_intersection(references, own))
    wanted, got = _length(references), _length(chunk.range for chunk in retrieved)
    return Scores(hit / wanted, hit / got if got else 0.0, hit / (got + wanted - hit))


def _union(ranges: Iterable[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _intersection(some: Sequence[Range], others: Sequence[Range]) -> list[Range]:
    both = [(max(one[0], other[0]), min(one[1], other[1])) for one in some for other in others]
    return [(start, end) for start, end in both if start < end]


def _length(ranges: Iterable[Range]) -> int:
    return sum(end - start for start, end in ranges)


def evaluate(
    chunks: Sequence[Chunk], questions: Sequence[Question], embedding: Embedding, retrieved: int = RETRIEVED
) -> Scores:
    """Means over the questions, each with its nearest chunks."""
    vectors = embedding.embed_passages([chunk.embedded for chunk in chunks])
    scores = []
    for question in questions:
        nearest = np.argsort(-(vectors @ embedding.embed_query(question.text)), kind="stable")[:retrieved]
        scores.append(scores_of(question, [chunks[at] for at in nearest.tolist()]))
    recall, precision, iou = np.mean([(one.recall, one.precision, one.iou) for one in scores], axis=0).tolist()
    return Scores(recall, precision, iou)


def splitters(embedding: Embedding, targets: Iterable[int] = TARGETS) -> dict[str, Callable[[], NodeParser]]:
    """Ours at several targets, and LlamaIndex's with their defaults and about the sizes of ours."""

    def tokens(text: str) -> range:
        return range(embedding.count_tokens(text))

    ours = {
        f"ours, {target} tokens": lambda target=target: PassageSplitter.for_model(embedding, target_tokens=target)
        for target in targets
    }
    return ours | {
        "SentenceSplitter, default": SentenceSplitter,
        "SentenceSplitter 256/32": lambda: SentenceSplitter(chunk_size=256, chunk_overlap=32),
        "SentenceSplitter 254/0, model's tokens": lambda: _sentence_splitter(254, tokens),
        "SentenceSplitter 128/0, model's tokens": lambda: _sentence_splitter(128, tokens),
        "SentenceSplitter 96/0, model's tokens": lambda: _sentence_splitter(96, tokens),
        "TokenTextSplitter 256/32": lambda: TokenTextSplitter(chunk_size=256, chunk_overlap=32),
        "TokenTextSplitter 128/0": lambda: TokenTextSplitter(chunk_size=128, chunk_overlap=0),
        "MarkdownNodeParser": MarkdownNodeParser,
    }


def _sentence_splitter(size: int, tokens: Callable[[str], Sequence[int]]) -> SentenceSplitter:
    return SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=tokens)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    try:
        corpora = load_corpora(options.data)
        questions = load_questions(options.data, corpora)
    except ChunkingDataError as error:
        sys.exit(str(error))
    with tempfile.TemporaryDirectory() as folder:
        embedding = resolve_embedding(data_folder=options.models or Path(folder))
        rows: list[Row] = []
        for name, make in splitters(embedding, options.target).items():
            chunks = chunks_of(make(), corpora)
            scores = evaluate(chunks, questions, embedding, options.retrieved)
            length = _length(chunk.range for chunk in chunks) / len(chunks)
            rows.append([name, len(chunks), length, 100 * scores.recall, 100 * scores.precision, 100 * scores.iou])
            print(name, file=sys.stderr)
    print(table(["splitter", "chunks", "characters", "recall %", "precision %", "IoU %"], rows))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m eval.chunking", description="Compares splitters.")
    parser.add_argument("data", type=Path, help="The folder with corpora/*.md and questions_df.csv.")
    parser.add_argument("--target", type=int, nargs="*", default=TARGETS, help="Target tokens of our own splitter.")
    parser.add_argument("--retrieved", type=int, default=RETRIEVED, help="Chunks a question.")
    parser.add_argument("--models", type=Path, help="The data folder that keeps the converted model.")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()

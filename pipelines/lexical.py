"""The lexical half: BM25 (Robertson, Zaragoza 2009; k1 = 1.2, b = .75) on Tantivy, an index for each organization."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import tantivy
from tantivy import Document, Occur, Query

from pipelines.guarding import guarded
from pipelines.store.changes import IndexedPassage, Step
from pipelines.text.tokens import index_tokens
from pipelines.types import Scope

BM25_BOUND = 2.2
"""A term's BM25 is below its weight times this, k1 + 1."""
HEAP = 32_000_000
LOCK_WAIT = 30.0  # seconds for another process's writer to finish a step


class LexicalIndex(Protocol):
    """One organization's passages by their words; follows the database by change numbers."""

    @property
    def languages(self) -> frozenset[str]:
        """Of the documents that are, or were, in it."""
        ...

    def position(self) -> int:
        """The number of the last change that it holds."""
        ...

    def refresh(self) -> None:
        """Notices what another process has written."""
        ...

    def apply(self, step: Step) -> None:
        """Does nothing unless it stands right at the step's beginning."""
        ...

    def ids(self) -> set[int]:
        """Of the passages held."""
        ...

    def search(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """BM25 scores, above 0, of the best passages in scope, by passage id, best first."""
        ...

    def scores(self, terms: Sequence[str], ids: Sequence[int]) -> dict[int, float]:
        """BM25 scores of these passages; those without any of the terms are left out."""
        ...

    def has_one_of(self, document_id: UUID, ids: Sequence[int]) -> bool:
        """Whether one of these passages is the document's."""
        ...

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        """Inverse document frequency of each term, 0 for a term that no passage has."""
        ...

    def close(self) -> None: ...


def passage_tokens(passage: IndexedPassage) -> list[str]:
    """What is searched of a passage: its title and headings with its text."""
    return index_tokens(f"{passage.context}\n{passage.text}", passage.language)


def inverse_document_frequency(documents: int, frequency: int) -> float:
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("passage", indexed=True, fast=True)
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("source", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("day", indexed=True, fast=True)
    builder.add_text_field("tokens", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("mark", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("change", fast=True)
    return builder.build()


SCHEMA = _schema()
MARK = Query.term_query(SCHEMA, "mark", "position")


class TantivyIndex:
    """On disk, memory-mapped; its change number is a document of its own, so that one commit holds both or neither."""

    @guarded
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._index = tantivy.Index(SCHEMA, path=str(folder))
        self.refresh()

    @guarded
    def refresh(self) -> None:
        self._index.reload()
        self._searcher = self._index.searcher()
        marks = self._searcher.search(MARK, limit=1, count=False).hits
        self._position = self._values("change", marks)[0] if marks else 0
        self._languages = frozenset(term for term, _ in self._searcher.terms_with_prefix("language", ""))

    @property
    def languages(self) -> frozenset[str]:
        return self._languages

    def position(self) -> int:
        return self._position

    def ids(self) -> set[int]:
        hits = self._searcher.search(Query.all_query(), limit=max(1, self._searcher.num_docs), count=False).hits
        return set(self._values("passage", hits))

    @guarded
    def apply(self, step: Step) -> None:
        writer = self._writer()
        try:
            self.refresh()
            if self._position == step.after:  # else another process was quicker
                self._write(writer, step)
                writer.commit()
        finally:
            # Without this wait merges are given up and segments pile up: four times the query's time after 150 writes.
            writer.wait_merging_threads()
        self.refresh()

    def _writer(self) -> Any:
        give_up = time.monotonic() + LOCK_WAIT
        while True:
            try:
                return self._index.writer(heap_size=HEAP, num_threads=1)
            except ValueError:  # LockBusy: another process writes a step
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.01)

    @staticmethod
    def _write(writer: Any, step: Step) -> None:
        for document_id in step.stale:
            writer.delete_documents_by_term("document", document_id.hex)
        for passage in step.passages:
            writer.add_document(_to_document(passage))
        writer.delete_documents_by_term("mark", "position")
        mark = Document()
        mark.add_text("mark", "position")
        mark.add_unsigned("change", step.number)
        writer.add_document(mark)

    @guarded
    def search(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        query = _any_of(terms)
        if narrowed := _in_scope(scope):
            query = Query.boolean_query([(Occur.Must, query), *narrowed])
        return self._scores(query, limit)

    @guarded
    def scores(self, terms: Sequence[str], ids: Sequence[int]) -> dict[int, float]:
        if not ids:
            return {}
        query = Query.boolean_query([(Occur.Must, _any_of(terms)), _filter(_among(ids))])
        return self._scores(query, len(ids))

    @guarded
    def has_one_of(self, document_id: UUID, ids: Sequence[int]) -> bool:
        theirs = Query.term_query(SCHEMA, "document", document_id.hex)
        query = Query.boolean_query([_filter(theirs), _filter(_among(ids))])
        return bool(ids) and bool(self._searcher.search(query, limit=1, count=False).hits)

    def _scores(self, query: Any, limit: int) -> dict[int, float]:
        hits = self._searcher.search(query, limit=limit, count=False).hits
        return {passage: score for passage, (score, _) in zip(self._values("passage", hits), hits, strict=True)}

    def _values(self, field: str, hits: Sequence[Any]) -> list[int]:
        """Of a numeric field; documents without one (the position) are left out."""
        values = self._searcher.fast_field_values(field, [address for _, address in hits])
        return [int(value) for value in values if value is not None]

    @guarded
    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        documents = max(0, self._searcher.num_docs - 1)  # but for the position
        frequency = self._searcher.doc_freq
        return {term: inverse_document_frequency(documents, frequency("tokens", term)) for term in terms}

    def close(self) -> None:
        del self._searcher, self._index


def _to_document(passage: IndexedPassage) -> Any:
    document = Document()
    document.add_unsigned("passage", passage.id)
    document.add_text("document", passage.document_id.hex)
    document.add_text("source", passage.source)
    document.add_integer("day", passage.day.toordinal())
    document.add_text("language", passage.language)
    document.add_text("tokens", " ".join(passage_tokens(passage)))
    return document


def _any_of(terms: Sequence[str]) -> Any:
    return Query.boolean_query([(Occur.Should, Query.term_query(SCHEMA, "tokens", term)) for term in terms])


def _among(ids: Sequence[int]) -> Any:
    """Of single terms: a term set is looked for through the whole dictionary, which takes three times as long."""
    return Query.boolean_query([(Occur.Should, Query.term_query(SCHEMA, "passage", i)) for i in ids])


def _filter(query: Any) -> tuple[Any, Any]:
    return Occur.Must, Query.const_score_query(query, 0.0)


def _in_scope(scope: Scope) -> list[tuple[Any, Any]]:
    narrowed = []
    if scope.sources:
        narrowed.append(_filter(Query.term_set_query(SCHEMA, "source", sorted(scope.sources))))
    if scope.start or scope.end:
        first = scope.start.toordinal() if scope.start else 0
        last = scope.end.toordinal() if scope.end else 4_000_000
        narrowed.append(_filter(Query.range_query(SCHEMA, "day", tantivy.FieldType.Integer, first, last)))
    return narrowed


def discard(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)

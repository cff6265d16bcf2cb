"""The one door to the library: documents in, verified answers out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Self
from uuid import UUID

from filelock import FileLock, Timeout

from pipelines import arguments
from pipelines.answerability import load_classifier
from pipelines.answerer import Answerer
from pipelines.calibration import Calibration
from pipelines.confidence import Classifier
from pipelines.consistency import Consistency
from pipelines.embedding import Embedding, adapt, resolve_embedding
from pipelines.errors import InUse, KnowledgeBaseError
from pipelines.following import Indexes
from pipelines.fusion import Fusion
from pipelines.retrieval import HybridRetriever
from pipelines.store import documents, leases
from pipelines.store.database import Database
from pipelines.store.documents import Edit, Revisions
from pipelines.store.folder import make_private
from pipelines.store.migrate import migrate
from pipelines.text.sizes import PassageSize
from pipelines.types import (
    UNCHANGED,
    Answer,
    CheckReport,
    Delta,
    Document,
    DocumentHit,
    DocumentPage,
    DocumentStatus,
    Hit,
    Metadata,
    NewDocument,
    Put,
    Retrieval,
    Scope,
    SearchResult,
    Unchanged,
)
from pipelines.vectors import Chroma
from pipelines.worker import Indexer, Worker
from pipelines.writing import Writer

if TYPE_CHECKING:
    # Most of two seconds: who only asks does not wait for it.
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import LLM
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import TransformComponent

    from pipelines.ingestion import Ingestion

logger = logging.getLogger(__name__)

INDEX_WAIT = 30.0
"""Seconds that a write waits to be searchable."""
MAX_CITATIONS = 5


class KnowledgeBase:
    """Documents of many organizations, searched and answered under a `Scope`; opened by `KnowledgeBase.open`."""

    def __init__(
        self,
        database: Database,
        indexes: Indexes,
        retriever: HybridRetriever,
        writer: Writer,
        worker: Worker | None,
        answerer: Answerer,
        lock: FileLock,
        max_citations: int,
        splitter: str,
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._retriever = retriever
        self._writer = writer
        self._worker = worker
        self._answerer = answerer
        self._lock = lock
        self._max_citations = max_citations
        self._consistency = Consistency(database, indexes, splitter)

    @classmethod
    async def open(
        cls,
        folder: Path | str = "./data",
        *,
        database_url: str | None = None,
        chroma_url: str | None = None,
        embedding: BaseEmbedding | Embedding | None = None,
        llm: LLM | None = None,
        splitter: TransformComponent | PassageSize | None = None,
        fusion: Fusion | None = None,
        postprocessors: Sequence[BaseNodePostprocessor] = (),
        calibration: Calibration | None = None,
        classifier: Classifier | None = None,
        max_citations: int = MAX_CITATIONS,
        worker: bool = True,
        index_wait: float = INDEX_WAIT,
        most_open: int = 200,
    ) -> Self:
        """Brings the tables up to date and takes up what an earlier process left.

        Without an `embedding` both built-in models are loaded, its and the `classifier` that reads whether there is an
        answer; beside one of your own that is `load_classifier(folder)` of `pipelines.answerability`.
        `folder` has what is embedded: SQLite unless `database_url` names PostgreSQL, Chroma unless `chroma_url` names
        its server, the lexical indexes, and the converted model.
        `embedding` is any of LlamaIndex, or of `resolve_embedding` (a name, a folder, a server); None is MiniLM.
        `llm` writes the answers; None quotes the documents.
        `splitter` cuts passages, `fusion` makes one score of cosine and BM25, `postprocessors` reorder or drop what
        was found, in their order; `calibration` says when to refuse and how sure to be.
        `max_citations` (1 or more) is for questions that do not say it. `index_wait` is how many seconds a write waits
        to be searchable. `most_open` organizations have their indexes open at the same time.
        With `worker=False` documents are only accepted, for a process beside the one that indexes.

        Raises TypeError or ValueError for arguments that cannot be, ModelNotUsable, and InUse where the folder's
        embedded Chroma has its one process already.
        """
        arguments.check(embedding=embedding, llm=llm, splitter=splitter, fusion=fusion)
        arguments.check(calibration=calibration, classifier=classifier)
        for postprocessor in postprocessors:
            arguments.check(postprocessors=postprocessor)
        if max_citations < 1:
            raise ValueError(f"max_citations is 1 or more, not {max_citations}")
        folder = Path(folder)
        await asyncio.to_thread(make_private, folder)
        lock = FileLock(folder / "index.lock")
        alone = worker and chroma_url is None
        if alone:
            take(lock)
        database = Database(database_url or f"sqlite:///{(folder / 'kb.sqlite3').absolute()}")
        await migrate(database)
        if embedding is None:
            embedding = await asyncio.to_thread(resolve_embedding, data_folder=folder)
            classifier = classifier or await asyncio.to_thread(load_classifier, folder)
        model = adapt(embedding)
        chroma = await asyncio.to_thread(Chroma, folder / "chroma", chroma_url)
        indexes = Indexes(
            database, chroma, folder, fingerprint=model.fingerprint, dimension=model.dimension, most_open=most_open
        )
        cut = splitter or PassageSize()
        indexer = Indexer(database, indexes, lambda: _ingestion(model, cut))
        own = Worker(database, indexer)
        retriever = HybridRetriever(database, indexes, model, fusion, postprocessors)
        writer = Writer(database, indexes, indexer, own, works=worker, wait=index_wait)
        if alone:
            await database.write(leases.release_all)
        if worker:
            await _tell_of_others(database, _name(cut))
            own.start()
        answerer = Answerer(retriever, model, llm, calibration, classifier)
        return cls(
            database, indexes, retriever, writer, own if worker else None, answerer, lock, max_citations, _name(cut)
        )

    async def close(self) -> None:
        if self._worker:
            await self._worker.stop()
        await self._writer.close()
        await self._retriever.close()
        self._indexes.close()
        await self._database.close()
        self._lock.release()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def database(self) -> Database:
        """For tables of one's own beside the library's."""
        return self._database

    # --- documents in

    async def put(
        self,
        document: NewDocument,
        scope: Scope,
        *,
        upsert: bool = True,
        if_match: Revisions | None = None,
        wait: float | None = None,
    ) -> Put:
        """Returns when the document is searchable, or pending after `wait` seconds (0: at once).

        Raises DocumentExists without `upsert`, PreconditionFailed (`if_match` names other revisions, or there is no
        document), IndexUnavailable when the indexes are another model's.
        """
        [result] = await self._writer.put_many([document], scope, upsert=upsert, if_match=if_match, wait=wait)
        if isinstance(result, KnowledgeBaseError):
            raise result
        return result

    async def put_many(
        self, new: Sequence[NewDocument], scope: Scope, *, upsert: bool = True, wait: float | None = None
    ) -> list[Put | KnowledgeBaseError]:
        """In their order; each stands alone. The documents come back without content."""
        return await self._writer.put_many(new, scope, upsert=upsert, wait=wait)

    async def update(
        self,
        document_id: UUID,
        scope: Scope,
        *,
        title: str | None = None,
        content: str | None = None,
        url: str | Unchanged | None = UNCHANGED,
        metadata: Metadata | None = None,
        if_match: Revisions | None = None,
        wait: float | None = None,
    ) -> Document:
        """What is not named stays. Raises DocumentNotFound, PreconditionFailed (`if_match` names other revisions)."""
        edit = Edit(title=title, content=content, url=url, metadata=metadata)
        return await self._writer.update(document_id, scope, edit, if_match=if_match, wait=wait)

    async def remove(self, document_id: UUID, scope: Scope, *, if_match: Revisions | None = None) -> None:
        """From its return on no answer cites it. Raises DocumentNotFound, PreconditionFailed."""
        await self._writer.remove(document_id, scope, if_match=if_match)

    async def remove_by_key(
        self, source: str, external_id: str, scope: Scope, *, if_match: Revisions | None = None
    ) -> None:
        await self._writer.remove_by_key(source, external_id, scope, if_match=if_match)

    async def remove_source(self, source: str, scope: Scope) -> int:
        """All documents of a source; returns how many there were."""
        return await self._writer.remove_source(source, scope)

    async def get(self, document_id: UUID, scope: Scope) -> Document:
        """The newest version, searchable or not. Raises DocumentNotFound."""
        return await self._database.read(documents.get, scope.organization_id, document_id)

    async def list(
        self,
        scope: Scope,
        *,
        source: str | None = None,
        status: DocumentStatus | None = None,
        external_id: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> DocumentPage:
        """Newest first, without content. Raises InvalidCursor."""
        equal = {"source": source, "status": status, "external_id": external_id}
        return await self._database.read(documents.page, scope.organization_id, equal, limit=limit, cursor=cursor)

    def stop_waiting(self) -> None:
        """From now on writes return at once, pending: the process ends, and the next one takes up what is left."""
        self._writer.stop_waiting()

    # --- answers out

    async def retrieve(self, question: str, scope: Scope, *, limit: int | None = None) -> Retrieval:
        """The passages that were found, at most `limit`, best first, with their evidence."""
        return await self._retriever.retrieve(question, scope, limit=limit)

    async def search_words(self, question: str, scope: Scope, limit: int = 10) -> tuple[Hit, ...]:
        """Passages by BM25 alone, best first."""
        return await self._retriever.search_words(question, scope, limit)

    async def search(self, question: str, scope: Scope, *, limit: int = 10) -> SearchResult:
        """Documents ranked by their best passage; nothing is withheld for lack of evidence."""
        found = await self._retriever.retrieve(question, scope, least=limit)
        return SearchResult(by_document(found.hits)[:limit], found.documents_searched)

    async def answer(self, question: str, scope: Scope, *, max_citations: int | None = None) -> Answer:
        """Raises AnswerUnavailable, IndexUnavailable."""
        async with aclosing(self.stream(question, scope, max_citations=max_citations)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream ends with its answer")

    def stream(
        self, question: str, scope: Scope, *, max_citations: int | None = None
    ) -> AsyncGenerator[Delta | Answer, None]:
        """Pieces of the answer's text, then the whole answer. Close it to stop the model."""
        return self._answerer.stream(question, scope, max_citations=max_citations or self._max_citations)

    # --- LlamaIndex

    def as_retriever(self, scope: Scope, limit: int = 10) -> BaseRetriever:
        """Of at most `limit` passages, best first, with the fused score. Inside an event loop call `aretrieve`."""
        from pipelines.llama import FusionRetriever

        return FusionRetriever(self, scope, limit)

    def as_lexical_retriever(self, scope: Scope, limit: int = 10) -> BaseRetriever:
        """The same by BM25 alone, with its scores."""
        from pipelines.llama import LexicalRetriever

        return LexicalRetriever(self, scope, limit)

    def as_query_engine(self, scope: Scope, *, streaming: bool = False) -> BaseQueryEngine:
        """Of answers as `answer` gives them; sources are the cited passages, `metadata` has the confidence.

        Inside an event loop call `aquery`; with `streaming` its response comes in pieces.
        """
        from pipelines.llama import KnowledgeQueryEngine

        return KnowledgeQueryEngine(self, scope, streaming=streaming)

    # --- operating

    async def count_pending(self) -> int:
        """Documents of all organizations that are not searchable yet."""
        return await self.database.read(documents.count_pending)

    @property
    def unreranked(self) -> int:
        """Questions so far that a reranker failed to reorder: the fused order counted."""
        return self._retriever.unreranked

    async def ping(self) -> None:
        """Raises IndexUnavailable when Chroma cannot be reached."""
        await asyncio.to_thread(self._indexes.ping)

    async def check(self, organization_id: UUID, *, repair: bool = False) -> CheckReport:
        return await self._consistency.check(organization_id, repair=repair)

    async def reindex(self, organization_id: UUID) -> None:
        """Builds both indexes anew; after a change of model or splitter all documents are pending until they are cut
        and embedded."""
        if await self._consistency.reindex(organization_id) and self._worker:
            self._worker.wake()


def _ingestion(model: Embedding, splitter: TransformComponent | PassageSize) -> Ingestion:
    from pipelines.ingestion import Ingestion
    from pipelines.text.splitter import PassageSplitter

    name = _name(splitter)
    if isinstance(splitter, PassageSize):
        splitter = PassageSplitter.for_model(model, **asdict(splitter))
    return Ingestion(model, splitter, name)


def _name(splitter: TransformComponent | PassageSize) -> str:
    """LlamaIndex's splitters are told apart by their class alone."""
    return splitter.name if isinstance(splitter, PassageSize) else type(splitter).__name__[:40]


async def _tell_of_others(database: Database, splitter: str) -> None:
    for organization_id, count in (await database.read(documents.count_cut_otherwise, splitter)).items():
        logger.warning(
            "%d documents have passages of another size; they can be found, and kb admin reindex %s"
            " (in Python: knowledge.reindex) cuts them anew",
            count,
            organization_id,
        )


def take(lock: FileLock) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InUse from None


def by_document(hits: Sequence[Hit]) -> tuple[DocumentHit, ...]:
    """Hits, best first, to documents ranked by their best passage."""
    best: dict[UUID, Hit] = {}
    for hit in hits:
        best.setdefault(hit.document_id, hit)
    return tuple(
        DocumentHit(
            document_id=hit.document_id,
            title=hit.title,
            source=hit.source,
            external_id=hit.external_id,
            url=hit.url,
            snippet=hit.passage.text,
            score=hit.score,
            metadata=hit.metadata,
        )
        for hit in best.values()
    )

"""The way of a question up to its hits: both halves under a scope, looked up in the database, scored by both, fused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pipelines.candidates import Search, look_up, search_both
from pipelines.embedding import Embedding
from pipelines.embedding.workers import available_cores
from pipelines.errors import IndexUnavailable
from pipelines.following import Indexes, OrganizationIndexes
from pipelines.fusion import ConvexCombination, Fusion
from pipelines.lexical import BM25_BOUND
from pipelines.question_vectors import QuestionVectors
from pipelines.store import changes
from pipelines.store.changes import IndexState
from pipelines.store.database import BlockingRead, Database
from pipelines.store.lookup import lookup, to_hit
from pipelines.text.tokens import query_tokens
from pipelines.types import Hit, Moment, Question, Retrieval, Scope, Vector

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

ATTEMPTS = 5
"""Searches before an answer is given although what was found keeps changing."""
THREADS = 4 + available_cores()
"""Questions in work at a time."""

P = ParamSpec("P")
T = TypeVar("T")


class HybridRetriever:
    """Retrieval over all organizations; each call names one by its scope.

    A question is searched for in one thread, while another one embeds it.
    """

    def __init__(
        self,
        database: Database,
        indexes: Indexes,
        embedding: Embedding,
        fusion: Fusion | None = None,
        postprocessors: Sequence[BaseNodePostprocessor] = (),
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._vectors = QuestionVectors(embedding, THREADS)
        self._threads = ThreadPoolExecutor(THREADS, "question")
        self._fusion = fusion or ConvexCombination()
        self._postprocessors = postprocessors

    @property
    def unreranked(self) -> int:
        """Questions so far that a reranker failed to reorder."""
        return sum(getattr(one, "failures", 0) for one in self._postprocessors)

    async def close(self) -> None:
        """Lets go of its threads, and of what postprocessors hold, where they can be told."""
        # Questions whose askers have left may still wait for the event loop: it has to be there for them.
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)
        self._vectors.close()
        for one in self._postprocessors:
            if close := getattr(one, "aclose", None):
                await close()

    async def moment(self, scope: Scope) -> Moment | None:
        """None where there is nothing yet."""
        state = await self._indexes.state(scope.organization_id)
        return state.moment if state else None

    @property
    def is_postprocessed(self) -> bool:
        """What postprocessors do they may do otherwise the next time."""
        return bool(self._postprocessors)

    async def retrieve(self, question: str, scope: Scope, *, limit: int | None = None, least: int = 0) -> Retrieval:
        """At most `limit` passages, best first; enough to choose from for `least` documents of a few passages each.

        What is not current any more is dropped, and searched again if that left a gap.
        """
        found = await self._retrieve(Search(question, scope, limit, least))
        if not self._postprocessors:
            return found
        from pipelines.nodes import postprocess

        return replace(found, hits=await postprocess(found.hits, self._postprocessors, question))

    async def _retrieve(self, search: Search) -> Retrieval:
        read = self._database.blocking()
        for left in reversed(range(ATTEMPTS)):
            last = not left
            made = await self.run(self._attempt, search, read, last)
            if isinstance(made, IndexState):
                made = await self._attempt_behind(search, read, last, made)
            if made:
                return made
        raise IndexUnavailable

    async def retrieve_all(self, questions: Sequence[str], scope: Scope, *, limit: int) -> list[Retrieval]:
        """Each question's passages, side by side and of one moment: no document in two of its versions."""
        if len(questions) == 1:
            return [await self.retrieve(questions[0], scope, limit=limit)]
        for left in reversed(range(ATTEMPTS)):
            found = await asyncio.gather(*(self.retrieve(question, scope, limit=limit) for question in questions))
            ids = {hit.passage.id for one in found for hit in one.hits}
            current = await self._database.read(lookup, scope.organization_id, list(ids))
            if not left or len(current) == len(ids):
                return [replace(one, hits=tuple(h for h in one.hits if h.passage.id in current)) for one in found]
        raise IndexUnavailable

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """In one of the threads that questions are worked in."""
        call = partial(function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def _attempt(self, search: Search, read: BlockingRead, last: bool) -> Retrieval | IndexState | None:
        """None: to be tried again; a state: the indexes are behind it and have to follow first."""
        vector = self._vectors.begin(search.scope.organization_id, search.question)
        state = read(self._indexes.read_state, search.scope.organization_id)
        if state is None:
            return _nothing(search, vector())
        indexes = self._indexes.ready(state, in_memory=search.scope.is_filtered)
        if indexes is None:
            return state
        return self._attempt_with(indexes, state, vector, search, read, last)

    async def _attempt_behind(
        self, search: Search, read: BlockingRead, last: bool, state: IndexState
    ) -> Retrieval | None:
        """The attempt that waits for the indexes to follow."""
        try:
            indexes = await self._indexes.current(state, in_memory=search.scope.is_filtered)
        except IndexUnavailable:
            if not await self.run(_was_replaced, state, read):
                raise
            return None
        vector = self._vectors.begin(search.scope.organization_id, search.question)
        return await self.run(self._attempt_with, indexes, state, vector, search, read, last)

    def _attempt_with(
        self,
        indexes: OrganizationIndexes,
        state: IndexState,
        vector: Callable[[], Vector],
        search: Search,
        read: BlockingRead,
        last: bool,
    ) -> Retrieval | None:
        matrix = indexes.matrix
        if search.scope.is_filtered and matrix is None:
            return None  # dropped at this moment, to make room
        try:
            candidates = search_both(indexes, matrix, search, vector, read)
        except IndexUnavailable:
            if not _was_replaced(state, read):
                raise
            return None
        found = look_up(candidates, self._fusion, search, read)
        if not (last or found.is_complete or _stands(state, read)):
            return None
        searched = state.documents if candidates.documents_searched is None else candidates.documents_searched
        question, scope = candidates.question, search.scope
        return Retrieval(
            question=question, scope=scope, hits=found.hits, documents_searched=searched, moment=state.moment
        )

    def finder(self, scope: Scope, moment: Moment | None) -> Callable[[str, Hit], float]:
        """Tells how well a question finds a hit's document by its words, best of all: no database, no wait."""
        indexes = self._indexes.opened(scope.organization_id, moment[0]) if moment else None

        def finds(question: str, wanted: Hit) -> float:
            if indexes is None or not (terms := query_tokens(question, indexes.lexical.languages)):
                return 0.0
            with suppress(IndexUnavailable):  # no reason to lose an answer
                best = indexes.lexical.search(terms, scope, 1)
                if indexes.lexical.has_one_of(wanted.document_id, list(best)):
                    return max(best.values()) / (BM25_BOUND * sum(indexes.lexical.weights(terms).values()))
            return 0.0

        return finds

    async def search_words(self, question: str, scope: Scope, limit: int) -> tuple[Hit, ...]:
        """BM25 alone, best first."""
        state = await self._indexes.state(scope.organization_id)
        if state is None:
            return ()
        indexes = await self._indexes.current(state)
        terms = query_tokens(question, indexes.lexical.languages)
        scores = await self.run(indexes.lexical.search, terms, scope, limit) if terms else {}
        found = await self._database.read(lookup, scope.organization_id, list(scores))
        return tuple(to_hit(found[i], score, 0.0, score) for i, score in scores.items() if i in found)


def _nothing(search: Search, vector: Vector) -> Retrieval:
    empty = Question(text=search.question, vector=vector, term_weights={})
    return Retrieval(question=empty, scope=search.scope, hits=(), documents_searched=0)


def _stands(state: IndexState, read: BlockingRead) -> bool:
    """Whether nothing has changed since."""
    return read(changes.state, state.organization_id) in (state, None)


def _was_replaced(state: IndexState, read: BlockingRead) -> bool:
    """Whether the indexes that failed have meanwhile given way to a new generation."""
    now = read(changes.state, state.organization_id)
    return now is None or now.generation != state.generation

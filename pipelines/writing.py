"""The way of a write: accepted in one transaction, indexed at once or in the background, answered when searchable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from pipelines.errors import DocumentNotFound, KnowledgeBaseError
from pipelines.following import Indexes
from pipelines.store import changes, documents, publishing
from pipelines.store.database import Database
from pipelines.store.documents import Accepted, Edit, Revisions
from pipelines.store.leases import Job, Lease
from pipelines.types import Document, NewDocument, Put, Scope
from pipelines.worker import Indexer, Worker

POLL = 0.02
"""Seconds between two looks at a document that somebody else indexes."""


class Writer:
    """Puts, updates and removes. Without `works` it only accepts: another process indexes what is pending."""

    def __init__(
        self, database: Database, indexes: Indexes, indexer: Indexer, worker: Worker, *, works: bool, wait: float
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._indexer = indexer
        self._worker = worker
        self._works = works
        self._wait = wait
        self._background: set[asyncio.Task[Any]] = set()
        self._stopped = asyncio.get_running_loop().create_future()

    async def put_many(
        self,
        new: Sequence[NewDocument],
        scope: Scope,
        *,
        upsert: bool,
        wait: float | None,
        if_match: Revisions | None = None,
    ) -> list[Put | KnowledgeBaseError]:
        """Each document stands alone: what is refused is in its place in the result. One transaction for all rows."""
        organization_id = whole(scope)
        until = self._until(wait)
        await self._indexes.state(organization_id)
        accepted = await self._database.write(self._accept, organization_id, new, upsert, self._lease(until), if_match)
        good = [one for one in accepted if isinstance(one, Accepted)]
        await self._settle(organization_id, good, until)
        now = await self._database.read(documents.get_many, organization_id, [one.id for one in good])
        return [
            Put(now[one.id], one.created) if isinstance(one, Accepted) and one.id in now else _refusal(one)
            for one in accepted
        ]

    def _until(self, wait: float | None) -> float:
        seconds = self._wait if wait is None else wait
        waits = seconds and self._works and not self._stopped.done()
        return time.monotonic() + seconds if waits else 0.0

    def _lease(self, until: float) -> Lease | None:
        """Who waits indexes; what nobody waits for is left to the worker."""
        return self._worker.lease if until else None

    def _accept(
        self,
        connection: Connection,
        organization_id: UUID,
        new: Sequence[NewDocument],
        upsert: bool,
        lease: Lease | None,
        if_match: Revisions | None,
    ) -> list[Accepted | KnowledgeBaseError]:
        changes.ensure(connection, organization_id, self._indexes.fingerprint)
        return [_accept_one(connection, organization_id, one, upsert, lease, if_match) for one in new]

    async def update(
        self, document_id: UUID, scope: Scope, edit: Edit, *, if_match: Revisions | None, wait: float | None
    ) -> Document:
        organization_id = whole(scope)
        until = self._until(wait)
        await self._indexes.state(organization_id)
        accepted = await self._database.write(
            documents.revise, organization_id, document_id, edit, if_match=if_match, lease=self._lease(until)
        )
        await self._settle(organization_id, [accepted], until)
        return await self._database.read(documents.get, organization_id, document_id)

    async def _settle(self, organization_id: UUID, accepted: Sequence[Accepted], until: float) -> None:
        """Returns when all are searchable or failed, or at `until`; the indexing goes on even if the caller leaves."""
        jobs = [Job(organization_id, one.id, one.revision) for one in accepted if not one.settled]
        if not jobs:
            return
        if not until:
            self._worker.wake()
            return
        indexing = self._spawn(self._indexer.index(jobs))
        seconds = until - time.monotonic()
        await asyncio.wait({indexing, self._stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if indexing.done():
            await self._await_others(jobs, until)

    async def _await_others(self, jobs: Sequence[Job], until: float) -> None:
        """Whoever overtook one of these may be another process: there is no event to wait for."""
        while time.monotonic() < until and not self._stopped.done() and await self._others_index(jobs):  # noqa: ASYNC110 - as it says above
            await asyncio.sleep(POLL)

    async def _others_index(self, jobs: Sequence[Job]) -> bool:
        """Whether one of these was overtaken by a later update that is not searchable yet."""
        return await self._database.read(publishing.are_overtaken, jobs)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def remove(self, document_id: UUID, scope: Scope, *, if_match: Revisions | None) -> None:
        organization_id = whole(scope)
        await self._database.write(documents.remove, organization_id, document_id, if_match=if_match)
        self._tell(organization_id)

    async def remove_by_key(self, source: str, external_id: str, scope: Scope, *, if_match: Revisions | None) -> None:
        organization_id = whole(scope)
        await self._database.write(documents.remove_by_key, organization_id, source, external_id, if_match=if_match)
        self._tell(organization_id)

    async def remove_source(self, source: str, scope: Scope) -> int:
        organization_id = whole(scope)
        removed = await self._database.write(documents.remove_source, organization_id, source)
        self._tell(organization_id)
        return removed

    def _tell(self, organization_id: UUID) -> None:
        """No answer cites what the database has not: that the indexes drop it too can wait."""
        if self._works:
            self._spawn(self._indexer.follow(organization_id))

    def stop_waiting(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    async def close(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)


def whole(scope: Scope) -> UUID:
    """The organization that is written to. Raises ValueError for a narrowed scope: filters are for reading."""
    if scope.is_filtered:
        raise ValueError("a write takes a scope without filters")
    return scope.organization_id


def _accept_one(
    connection: Connection,
    organization_id: UUID,
    one: NewDocument,
    upsert: bool,
    lease: Lease | None,
    if_match: Revisions | None,
) -> Accepted | KnowledgeBaseError:
    try:
        return documents.accept(connection, organization_id, one, upsert=upsert, lease=lease, if_match=if_match)
    except KnowledgeBaseError as refusal:
        return refusal


def _refusal(one: Accepted | KnowledgeBaseError) -> KnowledgeBaseError:
    """What was accepted and is not there any more was removed meanwhile."""
    return one if isinstance(one, KnowledgeBaseError) else DocumentNotFound()

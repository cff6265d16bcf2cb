"""Indexes what has been accepted: at once for whoever waits, and in the background for what nobody holds."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING
from uuid import UUID

from pipelines.errors import IndexUnavailable, NotVerbatim
from pipelines.fair_semaphore import FairSemaphore
from pipelines.following import Indexes
from pipelines.store import leases, publishing
from pipelines.store.database import Database
from pipelines.store.leases import Job, Lease
from pipelines.store.publishing import Draft

if TYPE_CHECKING:
    from pipelines.ingestion import Ingestion  # LlamaIndex: not before the first document

logger = logging.getLogger(__name__)

GROUP = 24_000
"""Characters that are indexed together: large enough to keep the cores busy, small enough to let others in between."""
AT_ONCE = 3
"""Groups indexed at once, two of an organization: one is embedded while another is written."""
CLAIM = 64
IDLE = 2.0
RENEWAL = 20.0


class Indexer:
    """Takes accepted revisions to current ones, in groups that take turns with those of other callers."""

    def __init__(self, database: Database, indexes: Indexes, make_ingestion: Callable[[], Ingestion]) -> None:
        self._database = database
        self._indexes = indexes
        self._ingestion = lru_cache(make_ingestion)
        self._turns = FairSemaphore(AT_ONCE)
        self._underway: Counter[UUID] = Counter()

    @property
    def underway(self) -> list[UUID]:
        """Documents that are indexed, or wait for their turn."""
        return list(self._underway)

    async def index(self, jobs: Sequence[Job]) -> None:
        """Returns when each job is searchable or marked as failed. Jobs of one organization."""
        drafts = await self._database.read(publishing.drafts, jobs)
        together = [[draft.job for draft in group] for group in groups(drafts)]
        del drafts  # texts are read again when their turn comes: those that wait need no memory
        await asyncio.gather(*(self._index_group(group) for group in together))

    async def _index_group(self, jobs: Sequence[Job]) -> None:
        documents = [job.document_id for job in jobs]
        self._underway.update(documents)
        try:
            async with self._turns.of(jobs[0].organization_id):
                if drafts := await self._still_wanted(jobs):
                    await self._index_together(drafts)
        finally:
            self._underway.subtract(documents)
            self._underway += Counter()

    async def _still_wanted(self, jobs: Sequence[Job]) -> list[Draft]:
        """In the jobs' order; without what has been removed or revised since it was accepted."""
        drafts = {draft.job: draft for draft in await self._database.read(publishing.drafts, jobs)}
        return [drafts[job] for job in jobs if job in drafts]

    async def _index_together(self, drafts: Sequence[Draft]) -> None:
        try:
            await self._build_and_publish(drafts)
        except Exception as error:  # noqa: BLE001 - whatever a splitter or model raises is the document's failure
            if len(drafts) == 1:
                await self._fail(drafts[0], error)
                return
            logger.info("indexing one by one after %s", type(error).__name__)
            for draft in drafts:
                await self._index_alone(draft)

    async def _index_alone(self, draft: Draft) -> None:
        if not await self._still_wanted([draft.job]):
            return
        try:
            await self._build_and_publish([draft])
        except Exception as error:  # noqa: BLE001 - as above
            await self._fail(draft, error)

    async def _build_and_publish(self, drafts: Sequence[Draft]) -> None:
        organization_id = drafts[0].job.organization_id
        await self._indexes.state(organization_id)  # refuses vectors of another model
        known = await self._database.read(publishing.known_vectors, [draft.job.document_id for draft in drafts])
        built = await asyncio.to_thread(lambda: self._ingestion().build(drafts, known))
        await self._database.write(publishing.publish, organization_id, built)
        await self.follow(organization_id)

    async def follow(self, organization_id: UUID) -> None:
        """An index that is down now is followed by the next question that reaches it: nothing is lost."""
        with suppress(IndexUnavailable):
            if state := await self._indexes.state(organization_id):
                await self._indexes.current(state)

    async def _fail(self, draft: Draft, error: Exception) -> None:
        logger.warning("document %s: %s: %s", draft.job.document_id, type(error).__name__, error)
        passing = isinstance(error, IndexUnavailable)
        reason = (
            str(error) if isinstance(error, IndexUnavailable | NotVerbatim) else "The document could not be indexed."
        )
        await self._database.write(leases.fail, draft.job, draft.attempts, reason, passing=passing)


def groups(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    """In order, each at most `GROUP` characters or one document."""
    group: list[Draft] = []
    size = 0
    for draft in drafts:
        if group and size + len(draft.content) > GROUP:
            yield group
            group, size = [], 0
        group.append(draft)
        size += len(draft.content)
    if group:
        yield group


class Worker:
    """Takes up what waits: after a crash, after `respond-async`, written by another process."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self.lease = Lease(uuid.uuid4().hex)
        self._database = database
        self._indexer = indexer
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._busy: dict[UUID, asyncio.Task[None]] = {}
        """By organization, so that nobody's documents wait for the end of another's."""

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._forever()), asyncio.create_task(self._renew())]

    async def stop(self) -> None:
        tasks = [*self._tasks, *self._busy.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks = []

    def wake(self) -> None:
        self._wake.set()

    async def _forever(self) -> None:
        while True:
            self._wake.clear()
            try:
                while await self._work():
                    pass
            except Exception:
                logger.exception("worker")
            with suppress(TimeoutError):
                # Not wait_for: in Python 3.11 it loses a cancellation that comes with the wake-up.
                async with asyncio.timeout(IDLE):
                    await self._wake.wait()

    async def _work(self) -> int:
        if not await self._database.read(leases.waiting, tuple(self._busy)):
            return 0
        jobs = await self._database.write(leases.claim, self.lease, CLAIM, tuple(self._busy))
        by_organization = sorted(jobs, key=lambda job: job.organization_id)
        for organization_id, own in groupby(by_organization, key=lambda job: job.organization_id):
            self._busy[organization_id] = asyncio.create_task(self._index(organization_id, list(own)))
        return len(jobs)

    async def _index(self, organization_id: UUID, jobs: Sequence[Job]) -> None:
        try:
            await self._indexer.index(jobs)
        except Exception:
            logger.exception("worker")
        finally:
            del self._busy[organization_id]
            self.wake()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL)
            try:
                # No others: what was given up without a word, the database being away, is to be taken up again.
                await self._database.write(leases.renew, self.lease, self._indexer.underway)
            except Exception:
                logger.exception("leases")

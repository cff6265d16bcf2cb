"""How the indexes follow the database: one function for writes, recovery, a second process, reindex and repair."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from pipelines.errors import IndexUnavailable
from pipelines.lexical import LexicalIndex, TantivyIndex, discard
from pipelines.matrix import Matrix
from pipelines.store import changes
from pipelines.store.changes import IndexState, Step
from pipelines.store.database import Database
from pipelines.types import Vector
from pipelines.vectors import Chroma, VectorIndex

IN_MEMORY = 20_000
"""Passages of an organization up to which exact search in memory is quicker than Chroma, whatever is filtered."""
EXACT = 4_000
"""In larger ones: allowed passages up to which it is quicker than fetching more from Chroma than is wanted."""
MOST_ROWS = 250_000
"""Vectors held in memory for all organizations together, 1.5 KB each; who was asked longest ago is dropped first."""
MARGINS = (1.5, 6.0)
"""How many times more is fetched from Chroma than a filter should need by its share, first and then."""
MOST_FETCHED = 3_000


class Follower(Protocol):
    def position(self) -> int: ...
    def refresh(self) -> None: ...
    def apply(self, step: Step) -> None: ...


class OrganizationIndexes:
    """One organization's two indexes, and its vectors in memory where it is small or a filter needed them."""

    def __init__(self, organization_id: UUID, generation: int, vectors: VectorIndex, lexical: LexicalIndex) -> None:
        self.organization_id = organization_id
        self.generation = generation
        self.vectors = vectors
        self.lexical = lexical
        self.matrix: Matrix | None = None
        self.used_at = time.monotonic()
        self.lock = asyncio.Lock()

    @property
    def is_small(self) -> bool:
        return self.vectors.size <= IN_MEMORY

    def followers(self) -> list[Follower]:
        return [self.vectors, self.lexical, *filter(None, [self.matrix])]

    def have_followed(self, state: IndexState) -> bool:
        return all(follower.position() >= state.change for follower in self.followers())

    def nearest(
        self, vector: Vector, limit: int, matrix: Matrix | None, rows: NDArray[np.intp] | None
    ) -> dict[int, float]:
        """Cosines of the nearest passages by id, nearest first; among `rows` of the matrix where a filter left these.

        As many as `limit` if there are.
        """
        if matrix is None or (rows is None and matrix.size > IN_MEMORY):
            return self.vectors.nearest(vector, limit)
        if rows is None:
            return matrix.nearest(vector, matrix.rows(), limit)
        if matrix.size > IN_MEMORY and rows.size > EXACT:
            needed = limit * self.vectors.size / rows.size
            for wanted in (int(margin * needed) for margin in MARGINS if margin * needed <= MOST_FETCHED):
                found = matrix.within(self.vectors.nearest(vector, wanted), rows)
                if len(found) >= limit:
                    return dict(islice(found.items(), limit))
        return matrix.nearest(vector, rows, limit)

    def close(self) -> None:
        self.lexical.close()


class Indexes:
    """The indexes of all organizations: opened when first used, at most `most_open` at a time."""

    def __init__(
        self,
        database: Database,
        chroma: Chroma,
        folder: Path,
        *,
        fingerprint: str,
        dimension: int,
        most_open: int = 200,
        lexical: Callable[[Path], LexicalIndex] = TantivyIndex,
    ) -> None:
        self._database = database
        self._chroma = chroma
        self._folder = folder
        self.fingerprint = fingerprint
        self._dimension = dimension
        self._most_open = most_open
        self._lexical = lexical
        self._open: dict[tuple[UUID, int], OrganizationIndexes] = {}
        self._opening = asyncio.Lock()
        self._rebuilding = asyncio.Lock()

    async def state(self, organization_id: UUID) -> IndexState | None:
        return await self._database.read(self.read_state, organization_id)

    def read_state(self, connection: Connection, organization_id: UUID) -> IndexState | None:
        """What its indexes have to be. Raises IndexUnavailable when the organization's vectors are another model's."""
        state = changes.state(connection, organization_id)
        if state and state.fingerprint != self.fingerprint:
            raise IndexUnavailable(
                "The knowledge base was indexed with another embedding model; an operator has to run:"
                f" kb admin reindex {organization_id} (in Python: knowledge.reindex)",
                retry_after=3600,
            )
        return state

    async def current(self, state: IndexState, *, in_memory: bool = False) -> OrganizationIndexes:
        """The organization's indexes, having followed every change of `state`; with the matrix if `in_memory`."""
        found = await self._get(state.organization_id, state.generation)
        if found.matrix is None and (in_memory or found.is_small):
            found.matrix = Matrix(self._dimension)
        if not found.have_followed(state):
            async with found.lock:
                await self._follow(state, found.followers())
            self._shed(found)
        return found

    def ready(self, state: IndexState, *, in_memory: bool = False) -> OrganizationIndexes | None:
        """The same at once, from any thread, where they are open and there is nothing to follow."""
        found = self.opened(state.organization_id, state.generation)
        if found is None or not found.have_followed(state) or (found.matrix is None and (in_memory or found.is_small)):
            return None
        return found

    def opened(self, organization_id: UUID, generation: int) -> OrganizationIndexes | None:
        """Indexes as they are, if they are open: for what may be a moment behind; from any thread."""
        found = self._open.get((organization_id, generation))
        if found:
            found.used_at = time.monotonic()  # their order is the event loop's alone: others go through them meanwhile
        return found

    def _shed(self, kept: OrganizationIndexes) -> None:
        """Drops matrices, the longest unused first. Whoever still searches one holds it."""
        holding = [one for one in self._by_use() if one.matrix and one is not kept]
        rows = sum(one.matrix.size for one in (*holding, kept) if one.matrix)
        for one in holding:
            if rows <= MOST_ROWS or one.matrix is None:
                return
            rows -= one.matrix.size
            one.matrix = None

    async def _follow(self, state: IndexState, followers: Sequence[Follower]) -> None:
        for follower in followers:
            if follower.position() < state.change:
                await asyncio.to_thread(follower.refresh)
        while behind := [follower for follower in followers if follower.position() < state.change]:
            after = min(follower.position() for follower in behind)
            step = await self._database.read(changes.step, state.organization_id, after)
            if step is None:
                return
            due = [follower for follower in behind if follower.position() == after]
            await asyncio.gather(*(asyncio.to_thread(follower.apply, step) for follower in due))

    async def _get(self, organization_id: UUID, generation: int) -> OrganizationIndexes:
        key = (organization_id, generation)
        if found := self.opened(*key):
            return found
        async with self._opening:
            if key not in self._open:
                self._open[key] = await asyncio.to_thread(self._make, *key)
                self._close_oldest()
            return self._open[key]

    def _make(self, organization_id: UUID, generation: int) -> OrganizationIndexes:
        vectors = self._chroma.open(_collection(organization_id, generation))
        lexical = self._lexical(self._lexical_folder(organization_id, generation))
        return OrganizationIndexes(organization_id, generation, vectors, lexical)

    def _lexical_folder(self, organization_id: UUID, generation: int) -> Path:
        return self._folder / "lexical" / organization_id.hex / str(generation)

    def _by_use(self) -> list[OrganizationIndexes]:
        """The longest unused first."""
        return sorted(self._open.values(), key=lambda one: one.used_at)

    def _close_oldest(self) -> None:
        # No call on it is cut off: whoever still searches it holds it, and Python closes it after them.
        for one in self._by_use()[: max(0, len(self._open) - self._most_open)]:
            del self._open[one.organization_id, one.generation]

    async def rebuild(self, state: IndexState) -> bool:
        """Builds both indexes anew beside the present ones and turns to them; False if somebody else did meanwhile."""
        async with self._rebuilding:
            newest = await self._database.read(changes.state, state.organization_id)
            if newest is None or newest.generation != state.generation:
                return False
            beside = replace(newest, generation=state.generation + 1)
            await self._discard(state.organization_id, beside.generation)  # what a crash in an earlier rebuild left
            await self.current(beside)
            turned = await self._database.write(changes.next_generation, state.organization_id, beside.generation)
        await self._discard(state.organization_id, state.generation)
        return turned

    async def _discard(self, organization_id: UUID, generation: int) -> None:
        self._open.pop((organization_id, generation), None)
        await asyncio.to_thread(self._chroma.discard, _collection(organization_id, generation))
        await asyncio.to_thread(discard, self._lexical_folder(organization_id, generation))

    def ping(self) -> None:
        """Raises IndexUnavailable."""
        self._chroma.ping()

    def close(self) -> None:
        self._open.clear()
        self._chroma.close()


def _collection(organization_id: UUID, generation: int) -> str:
    return f"kb-{organization_id.hex}-{generation}"

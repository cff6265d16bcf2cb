"""An organization's vectors in memory, for exact search among what a filter leaves, however little or much that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from pipelines.similarity import cosines
from pipelines.store.changes import IndexedPassage, Step
from pipelines.types import Scope, Vector

BLOCK = 4096
"""Rows copied together at a time."""
DENSE = 3
"""Where one row in so many is wanted, all are multiplied where they lie: quicker than copying the wanted ones."""


class Matrix:
    """Vectors (rows, dimension) in single precision beside each row's id, document, source and day.

    It follows the database like the indexes on disk, from nothing, when a question first needs it.
    """

    def __init__(self, dimension: int) -> None:
        self._position = 0
        self._rows = 0
        self._row_of: dict[int, int] = {}  # by passage id
        self._codes: dict[object, int] = {}  # documents and sources as small numbers
        self._vectors = np.zeros((0, dimension), np.float32)
        self._columns = np.zeros((4, 0), np.int64)  # passage, document, source, day; document -1: taken out

    @property
    def size(self) -> int:
        """Rows held, those taken out included."""
        return self._rows

    def position(self) -> int:
        return self._position

    def refresh(self) -> None:
        """Nobody else writes to it."""

    def apply(self, step: Step) -> None:
        if step.stale:
            documents = self._columns[1]
            documents[self._among(documents, step.stale)] = -1
        if step.passages:
            self._append(step.passages)
        self._position = step.number

    def _append(self, new: Iterable[IndexedPassage]) -> None:
        new = list(new)
        self._grow(self._rows + len(new))
        rows = slice(self._rows, self._rows + len(new))
        self._vectors[rows] = np.stack([passage.vector for passage in new])
        self._columns[0, rows] = [passage.id for passage in new]
        self._columns[1, rows] = [self._code(passage.document_id) for passage in new]
        self._columns[2, rows] = [self._code(passage.source) for passage in new]
        self._columns[3, rows] = [passage.day.toordinal() for passage in new]
        self._row_of.update(zip(self._columns[0, rows].tolist(), range(rows.start, rows.stop), strict=True))
        self._rows += len(new)

    def _grow(self, needed: int) -> None:
        capacity = len(self._vectors)
        if needed > capacity:
            more = max(needed, capacity + capacity // 2) - capacity
            self._vectors = np.concatenate([self._vectors, np.zeros((more, self._vectors.shape[1]), np.float32)])
            self._columns = np.concatenate([self._columns, np.full((4, more), -1)], axis=1)

    def _code(self, value: object) -> int:
        return self._codes.setdefault(value, len(self._codes))

    def _among(self, column: NDArray[np.int64], values: Iterable[object]) -> NDArray[np.bool_]:
        """Where the column has the code of one of the values, by a table of codes: a tenth of `np.isin`'s time."""
        table = np.zeros(len(self._codes) + 1, bool)  # the last place is that of -1
        table[[self._codes[value] for value in values if value in self._codes]] = True
        return table[column]

    def rows(self) -> NDArray[np.intp]:
        """All that have not been taken out."""
        return np.flatnonzero(self._columns[1, : self._rows] >= 0)

    def allowed(self, scope: Scope) -> NDArray[np.intp]:
        """The rows that a scope leaves."""
        _, documents, sources, days = self._columns[:, : self._rows]
        mask = documents >= 0
        if scope.sources:
            mask &= self._among(sources, scope.sources)
        if scope.start:
            mask &= days >= scope.start.toordinal()
        if scope.end:
            mask &= days <= scope.end.toordinal()
        return np.flatnonzero(mask)

    def count_documents(self, rows: NDArray[np.intp]) -> int:
        return int(np.count_nonzero(np.bincount(self._columns[1, rows]))) if rows.size else 0

    def ids(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.asarray(self._columns[0, rows])

    def within(self, found: Mapping[int, float], rows: NDArray[np.intp]) -> dict[int, float]:
        """Those of the found passages, in their order, that are among these rows."""
        allowed = np.zeros(self._rows, bool)
        allowed[rows] = True
        place = self._row_of
        return {i: cosine for i, cosine in found.items() if i in place and allowed[place[i]]}

    def cosines(self, ids: Iterable[int], vector: Vector) -> dict[int, float]:
        """Of these passages, by id; those that are not held are left out."""
        places = {i: self._row_of[i] for i in ids if i in self._row_of}
        near = cosines(self._vectors[list(places.values())], vector)
        return dict(zip(places, near.tolist(), strict=True))

    def nearest(self, vector: Vector, rows: NDArray[np.intp], limit: int) -> dict[int, float]:
        """Cosines of the nearest of these rows by passage id, nearest first: exact."""
        near = self._near(vector, rows)
        best = np.argpartition(-near, limit - 1)[:limit] if len(rows) > limit else np.arange(len(rows))
        best = best[np.argsort(-near[best], kind="stable")]
        return dict(zip(self._columns[0, rows[best]].tolist(), near[best].tolist(), strict=True))

    def _near(self, vector: Vector, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        if DENSE * len(rows) >= self._rows:
            return cosines(self._vectors[: self._rows], vector)[rows]
        near = np.empty(len(rows), np.float32)
        for at in range(0, len(rows), BLOCK):
            near[at : at + BLOCK] = cosines(self._vectors[rows[at : at + BLOCK]], vector)
        return near

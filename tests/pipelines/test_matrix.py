"""The vectors in memory, against a plain search over a list (hypothesis)."""

from datetime import date, timedelta
from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipelines.matrix import Matrix
from pipelines.store.changes import IndexedPassage, Step
from pipelines.types import Scope

ORGANIZATION = UUID(int=1)
DAY = date(2026, 1, 1)
ROWS = st.lists(st.tuples(st.integers(1, 5), st.sampled_from("abc"), st.integers(0, 5)), max_size=30)


def passages(rows: list[tuple[int, str, int]], first_id: int = 1) -> tuple[IndexedPassage, ...]:
    rng = np.random.default_rng(len(rows) + first_id)
    out = []
    for offset, (document, source, day) in enumerate(rows):
        vector = rng.normal(size=8).astype(np.float32)
        out.append(
            IndexedPassage(
                id=first_id + offset,
                document_id=UUID(int=document),
                source=source,
                day=DAY + timedelta(day),
                language="en",
                text="",
                context="",
                vector=vector / np.linalg.norm(vector),
            )
        )
    return tuple(out)


@given(ROWS, ROWS, st.sets(st.integers(1, 5)), st.sets(st.sampled_from("abc")), st.integers(0, 5), st.integers(1, 10))
def test_it_finds_what_a_plain_search_finds(
    before: list[tuple[int, str, int]],
    after: list[tuple[int, str, int]],
    stale: set[int],
    sources: set[str],
    start: int,
    limit: int,
) -> None:
    """After passages came and documents went, the nearest in scope are those of a search over a list."""
    matrix = Matrix(8)
    old, new = passages(before), passages(after, 1000)
    matrix.apply(Step(0, 1, (), old))
    matrix.apply(Step(1, 2, tuple(UUID(int=i) for i in stale), new))
    held = [one for one in old if one.document_id.int not in stale] + list(new)
    scope = Scope(ORGANIZATION, sources=frozenset(sources), start=DAY + timedelta(start))
    allowed = [one for one in held if scope.allows(one.source, one.day)]
    rows = matrix.allowed(scope)
    assert sorted(matrix.ids(rows).tolist()) == sorted(one.id for one in allowed)
    assert matrix.count_documents(rows) == len({one.document_id for one in allowed})
    question = passages([(1, "a", 0)], 77)[0].vector
    found = matrix.nearest(question, rows, limit)
    expected = sorted((float(one.vector @ question) for one in allowed), reverse=True)[:limit]
    np.testing.assert_allclose(list(found.values()), expected, atol=2e-3)


def test_nothing_is_near_in_an_empty_matrix() -> None:
    """No rows, no result."""
    matrix = Matrix(8)
    rows = matrix.allowed(Scope(ORGANIZATION, sources=frozenset({"a"})))
    assert matrix.nearest(np.zeros(8, np.float32), rows, 5) == {}
    assert matrix.count_documents(rows) == 0

"""A document's date, as the decisions say."""

from datetime import UTC, date, datetime

import pytest

from pipelines.store.documents import effective_day

CAME_IN = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("updated_at", "day"),
    [
        ("2026-03-14", date(2026, 3, 14)),
        ("2026-03-14T09:30:00Z", date(2026, 3, 14)),
        ("2026-03-14T23:30:00-05:00", date(2026, 3, 15)),
        ("2026-03-14T00:30:00+02:00", date(2026, 3, 13)),
        ("2026-03-14T23:30:00", date(2026, 3, 14)),
        ("0001-01-01T00:00:00+05:00", date(1, 1, 1)),
        ("yesterday", CAME_IN.date()),
        ("2026-02-30", CAME_IN.date()),
        (20260314, CAME_IN.date()),
        (None, CAME_IN.date()),
    ],
)
def test_updated_at_counts_as_its_utc_day(updated_at: object, day: date) -> None:
    """ISO 8601 with an offset is its day in UTC; what is no date counts as the day the document came in."""
    assert effective_day({"updated_at": updated_at}, CAME_IN) == day


def test_without_updated_at_it_is_the_day_it_came_in() -> None:
    """The fallback is the moment of the write."""
    assert effective_day({}, CAME_IN) == CAME_IN.date()

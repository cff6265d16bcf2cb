"""The month's questions, counted in the database."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, and_, select, true, update

from app.limits.clock import Clock, seconds
from app.limits.readings import MonthReading
from app.models import usage
from pipelines.store import dialects
from pipelines.store.database import Database


class Quota:
    """Months are those of UTC."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def reserve(self, organization_id: UUID, limit: int | None) -> MonthReading:
        """Counts one question, unless the month's are used up."""
        now = seconds(self._clock)
        used = await self._database.write(count_one, organization_id, month_of(now), limit)
        if used is None:
            return _reading(now, limit, limit or 0, admitted=False)
        return _reading(now, limit, used)

    async def give_back(self, organization_id: UUID, taken: MonthReading) -> MonthReading:
        """Uncounts one question in the month in which it was counted."""
        left = await self._database.write(uncount_one, organization_id, taken.month)
        return MonthReading(taken.month, taken.limit, left, taken.reset, taken.retry_after)

    async def look(self, organization_id: UUID, limit: int | None) -> MonthReading:
        now = seconds(self._clock)
        return _reading(now, limit, await self._database.read(counted, organization_id, month_of(now)))


def count_one(connection: Connection, organization_id: UUID, month: str, limit: int | None) -> int | None:
    """One statement, so that concurrent ones never exceed the limit; None when it is reached."""
    below = true() if limit is None else usage.c.used < limit
    first = dialects.insert(connection, usage).values(organization_id=organization_id, month=month, used=1)
    statement = first.on_conflict_do_update(
        index_elements=["organization_id", "month"], set_={"used": usage.c.used + 1}, where=below
    )
    used: int | None = connection.execute(statement.returning(usage.c.used)).scalar_one_or_none()
    return used


def uncount_one(connection: Connection, organization_id: UUID, month: str) -> int:
    """What is still counted."""
    counts = and_(_row(organization_id, month), usage.c.used > 0)
    statement = update(usage).where(counts).values(used=usage.c.used - 1).returning(usage.c.used)
    return connection.execute(statement).scalar_one_or_none() or 0


def counted(connection: Connection, organization_id: UUID, month: str) -> int:
    return connection.execute(select(usage.c.used).where(_row(organization_id, month))).scalar_one_or_none() or 0


def _row(organization_id: UUID, month: str) -> ColumnElement[bool]:
    return and_(usage.c.organization_id == organization_id, usage.c.month == month)


def month_of(now: int) -> str:
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m}"


def next_month(now: int) -> int:
    """Unix seconds when the month after begins."""
    this = datetime.fromtimestamp(now, UTC)
    years, month = divmod(this.month, 12)
    return int(datetime(this.year + years, month + 1, 1, tzinfo=UTC).timestamp())


def _reading(now: int, limit: int | None, used: int, *, admitted: bool = True) -> MonthReading:
    reset = next_month(now)
    return MonthReading(month_of(now), limit, used, reset, max(1, reset - now), admitted)

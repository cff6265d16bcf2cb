"""The month's questions, counted in the database."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, cast
from uuid import UUID

from sqlalchemy import Connection, Integer, String, Uuid, and_, bindparam, select, true, update
from sqlalchemy.sql.dml import ReturningInsert

from app.limits.clock import Clock, seconds
from app.limits.readings import MonthReading
from app.models import usage
from pipelines.store import dialects
from pipelines.store.database import Database

ORGANIZATION, MONTH = bindparam("organization", type_=Uuid), bindparam("calendar_month", type_=String)
ROW = and_(usage.c.organization_id == ORGANIZATION, usage.c.month == MONTH)
COUNTED = select(usage.c.used).where(ROW)
UNCOUNTING = update(usage).where(ROW, usage.c.used > 0).values(used=usage.c.used - 1).returning(usage.c.used)


class Quota:
    """Months are those of UTC."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def reserve(self, organization_id: UUID, limit: int | None) -> MonthReading:
        """Counts one question, unless the month's are used up."""
        now = seconds(self._clock)
        used = await self._database.apply(count_one, organization_id, month_of(now), limit)
        if used is None:
            return _reading(now, limit, limit or 0, admitted=False)
        return _reading(now, limit, used)

    async def give_back(self, organization_id: UUID, taken: MonthReading) -> MonthReading:
        """Uncounts one question in the month in which it was counted."""
        left = await self._database.apply(uncount_one, organization_id, taken.month)
        return MonthReading(taken.month, taken.limit, left, taken.reset, taken.retry_after)

    async def look(self, organization_id: UUID, limit: int | None) -> MonthReading:
        now = seconds(self._clock)
        return _reading(now, limit, await self._database.read(counted, organization_id, month_of(now)))


def count_one(connection: Connection, organization_id: UUID, month: str, limit: int | None) -> int | None:
    """One statement, so that concurrent ones never exceed the limit; None when it is reached."""
    row = {**_row(organization_id, month), "limit": limit}
    statement = _counting(connection.dialect.name, is_limited=limit is not None)
    used: int | None = connection.execute(statement, row).scalar_one_or_none()
    return used


@cache
def _counting(dialect: str, *, is_limited: bool) -> ReturningInsert[int]:
    """Made once, as making it takes longer than executing it."""
    below = usage.c.used < bindparam("limit", type_=Integer) if is_limited else true()
    first = dialects.INSERTS[dialect](usage).values(organization_id=ORGANIZATION, month=MONTH, used=1)
    counting = first.on_conflict_do_update(
        index_elements=["organization_id", "month"], set_={"used": usage.c.used + 1}, where=below
    )
    return cast("ReturningInsert[int]", counting.returning(usage.c.used))


def uncount_one(connection: Connection, organization_id: UUID, month: str) -> int:
    """What is still counted."""
    return connection.execute(UNCOUNTING, _row(organization_id, month)).scalar_one_or_none() or 0


def counted(connection: Connection, organization_id: UUID, month: str) -> int:
    return connection.execute(COUNTED, _row(organization_id, month)).scalar_one_or_none() or 0


def _row(organization_id: UUID, month: str) -> dict[str, Any]:
    return {ORGANIZATION.key: organization_id, MONTH.key: month}


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

"""The limits of the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from typing import Any, cast
from uuid import UUID

from limits import RateLimitItem, RateLimitItemPerMinute
from slowapi import Limiter

from app.limits.admission import FAILED, INVALID, Admission, Charge
from app.limits.clock import Clock, seconds, system_clock
from app.limits.leniency import Lenient
from app.limits.quota import Quota
from app.limits.readings import MonthReading, Reading, full
from app.limits.refusals import QuotaExceeded, TooManyQuestions, TooManyRequests
from app.limits.rolling_window import RollingWindow, Taken
from app.limits.storage import close
from app.limits.token_bucket import BucketItem, TokenBucketRateLimiter
from app.organizations.lookup import OrganizationLookup
from app.plans import PLANS, SMALLEST, Plan
from app.principal import Principal
from pipelines.store.database import Database


class Kind(Enum):
    """What a request is counted as."""

    GENERAL = "general"
    QUESTION = "question"


class Limits:
    """Counts what organizations ask for; closed at the end."""

    def __init__(
        self, database: Database, limiter: Limiter, organizations: OrganizationLookup, clock: Clock = system_clock
    ) -> None:
        self._limiter = limiter
        self._clock = clock
        self._organizations = organizations
        self._quota = Quota(database, clock)
        self.buckets = cast("TokenBucketRateLimiter", limiter.limiter)
        self._windows = RollingWindow(self.buckets.storage)
        self.redis = Lenient(clock)

    @property
    def enabled(self) -> bool:
        return bool(self._limiter.enabled)

    async def close(self) -> None:
        await close(self._limiter)

    async def ping(self) -> None:
        """Raises RedisError, or OSError, when Redis does not answer; in memory there is nothing to ask."""
        if not await self.buckets.storage.check():
            raise OSError("Redis does not answer")

    async def admit(self, principal: Principal, kind: Kind, admission: Admission) -> None:
        """Charges a request to its organization. Raises a refusal, which costs nothing."""
        if not self.enabled:
            return
        plan = await self._plan(principal.organization_id)
        try:
            await self._charge(principal.organization_id, plan, kind, admission)
        except BaseException:
            await admission.refund()
            raise

    async def _charge(self, organization_id: UUID, plan: Plan, kind: Kind, admission: Admission) -> None:
        if kind is Kind.GENERAL:
            await self._charge_request(organization_id, plan, admission)
            return
        try:
            await self._charge_request(organization_id, plan, admission)
            await self._charge_minute(organization_id, plan, admission)
        except (TooManyRequests, TooManyQuestions):
            admission.month = await self._quota.look(organization_id, plan.queries_per_month)
            raise
        await self._charge_month(organization_id, plan, admission)

    async def _charge_request(self, organization_id: UUID, plan: Plan, admission: Admission) -> None:
        item, key = requests_item(plan), str(organization_id)
        admission.requests = await self.take(item, key)
        if not admission.requests.admitted:
            raise TooManyRequests(admission.requests.retry_after)

        async def give_back() -> None:
            admission.requests = await self.give_back(item, key)

        admission.charges.append(Charge(FAILED, give_back))

    async def _charge_minute(self, organization_id: UUID, plan: Plan, admission: Admission) -> None:
        item, key = queries_item(plan), str(organization_id)
        taken = await self._take_from_window(item, key)
        admission.minute = taken.reading
        if not taken.reading.admitted:
            raise TooManyQuestions(item.amount, taken.reading.retry_after)
        if (stamp := taken.stamp) is None:
            return

        async def give_back() -> None:
            asking = partial(self._windows.give_back, item, stamp, key)
            admission.minute = await self._ask(asking, item.amount)

        admission.charges.append(Charge(INVALID, give_back))

    async def _charge_month(self, organization_id: UUID, plan: Plan, admission: Admission) -> None:
        taken = admission.month = await self._quota.reserve(organization_id, plan.queries_per_month)
        if not taken.admitted:
            raise QuotaExceeded(taken.limit, taken.retry_after)

        async def give_back() -> None:
            admission.month = await self._quota.give_back(organization_id, taken)

        admission.charges.append(Charge(INVALID, give_back))

    async def usage(self, organization_id: UUID) -> dict[str, Any]:
        """What is left of everything, for the organization to see."""
        plan, key = await self._plan(organization_id), str(organization_id)
        requests = await self._look(self.buckets.look, requests_item(plan), key, plan.requests.burst)
        minute = await self._look(self._windows.look, queries_item(plan), key, plan.queries_per_minute)
        month = await self._quota.look(organization_id, plan.queries_per_month)
        return {
            "plan": plan.name,
            "requests": {"limit": plan.requests.per_minute, "burst": requests.limit, **_left(requests)},
            "queries_minute": {"limit": minute.limit, **_left(minute)},
            "queries_month": {"limit": month.limit, "used": month.used, **_left(month)},
        }

    async def _plan(self, organization_id: UUID) -> Plan:
        """The smallest for an organization that is gone."""
        organization = await self._organizations.of(organization_id)
        return PLANS[organization.plan if organization else SMALLEST]

    async def take(self, item: BucketItem, key: str) -> Reading:
        """One token of a bucket, which is as good as full while Redis is away."""
        return await self._ask(partial(self.buckets.take, item, key), item.burst)

    async def give_back(self, item: BucketItem, key: str) -> Reading:
        return await self._ask(partial(self.buckets.give_back, item, key), item.burst)

    async def _take_from_window(self, item: RateLimitItem, key: str) -> Taken:
        return await self.redis.ask(partial(self._windows.take, item, key), lambda: Taken(self._full(item.amount)))

    async def _look(
        self, look: Callable[[RateLimitItem, str], Awaitable[Reading]], item: RateLimitItem, key: str, limit: int
    ) -> Reading:
        return await self._ask(partial(look, item, key), limit)

    async def _ask(self, asking: Callable[[], Awaitable[Reading]], limit: int) -> Reading:
        return await self.redis.ask(asking, lambda: self._full(limit))

    def _full(self, limit: int) -> Reading:
        return full(limit, seconds(self._clock))


def requests_item(plan: Plan) -> BucketItem:
    return BucketItem(plan.requests, "requests")


def queries_item(plan: Plan) -> RateLimitItem:
    return RateLimitItemPerMinute(plan.queries_per_minute, namespace="queries")


def _left(reading: Reading | MonthReading) -> dict[str, int | None]:
    return {"remaining": reading.remaining, "reset": reading.reset}

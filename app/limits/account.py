"""The limits of the account endpoints, which have no organization: by client address and by e-mail address."""

from __future__ import annotations

import hashlib
from enum import Enum
from functools import partial

from starlette.requests import Request

from app.limits.admission import FAILED, Admission, Charge, admission_of
from app.limits.client_address import TrustedProxies, bucket_of
from app.limits.limiter import Limits
from app.limits.refusals import TooManyRequests
from app.limits.token_bucket import BucketItem
from app.plans import PER_ADDRESS, PER_EMAIL, Rate


class Purpose(Enum):
    """What an e-mail address is given for; each is counted apart."""

    MAIL = "mail"
    LOGIN = "login"


class AccountLimits:
    """Tells nothing on success: its answers must not differ by what is known of an address."""

    def __init__(self, limits: Limits, trusted: TrustedProxies) -> None:
        self._limits = limits
        self._trusted = trusted

    def address_of(self, request: Request) -> str:
        """Who asks, as far as the proxies on the way are to be believed."""
        return self._trusted.client_address(request)

    async def admit_address(self, request: Request) -> None:
        """Raises TooManyRequests."""
        key = bucket_of(self.address_of(request))
        await self._take("address", PER_ADDRESS, key, admission_of(request.scope))

    async def admit_email(self, request: Request, email: str, purpose: Purpose) -> None:
        """Raises TooManyRequests, and then the client address is not charged either."""
        await self._take(purpose.value, PER_EMAIL, fingerprint(email), admission_of(request.scope))

    async def seconds_to_wait(self, address: str, email: str | None, purpose: Purpose | None) -> int | None:
        """Takes from the same buckets, for who refuses in words of their own; None is admitted."""
        admission = Admission()
        try:
            await self._take("address", PER_ADDRESS, bucket_of(address), admission)
            if email is not None and purpose is not None:
                await self._take(purpose.value, PER_EMAIL, fingerprint(email), admission)
        except TooManyRequests as refusal:
            return refusal.retry_after
        return None

    async def _take(self, namespace: str, rate: Rate, key: str, admission: Admission) -> None:
        if not self._limits.enabled:
            return
        item = BucketItem(rate, namespace)
        reading = await self._limits.take(item, key)
        if not reading.admitted:
            await admission.refund()
            raise TooManyRequests(reading.retry_after)
        admission.charges.append(Charge(FAILED, partial(self._give_back, item, key)))

    async def _give_back(self, item: BucketItem, key: str) -> None:
        await self._limits.give_back(item, key)


def fingerprint(email: str) -> str:
    """The same for every spelling in capitals; Redis gets to know no address."""
    return hashlib.sha256(email.strip().casefold().encode("utf-8", "replace")).hexdigest()

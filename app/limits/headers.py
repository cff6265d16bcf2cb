"""The response headers that tell how much is left."""

from __future__ import annotations

from app.limits.admission import Admission
from app.limits.readings import MonthReading, Reading

UNLIMITED = "unlimited"


def headers_of(admission: Admission) -> dict[str, str]:
    """Empty for a request that was not limited."""
    return {**_rate(_first_to_bind(admission)), **_quota(admission.month)}


def _first_to_bind(admission: Admission) -> Reading | None:
    """One that refused; otherwise the one of which fewest are left."""
    known = [reading for reading in (admission.minute, admission.requests) if reading]
    return min(known, key=lambda reading: (reading.admitted, reading.remaining), default=None)


def _rate(reading: Reading | None) -> dict[str, str]:
    if reading is None:
        return {}
    return {
        "X-RateLimit-Limit": str(reading.limit),
        "X-RateLimit-Remaining": str(reading.remaining),
        "X-RateLimit-Reset": str(reading.reset),
    }


def _quota(month: MonthReading | None) -> dict[str, str]:
    if month is None:
        return {}
    return {
        "X-RateLimit-Quota-Limit": _number(month.limit),
        "X-RateLimit-Quota-Remaining": _number(month.remaining),
        "X-RateLimit-Quota-Reset": str(month.reset),
    }


def _number(amount: int | None) -> str:
    return UNLIMITED if amount is None else str(amount)

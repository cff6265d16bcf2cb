"""What one request was charged, and which of it is given back."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from app.limits.readings import MonthReading, Reading

logger = logging.getLogger(__name__)

KEY = "kb.admission"
INVALID = 400
FAILED = 500


@dataclass(frozen=True, slots=True)
class Charge:
    """Given back when the request ends in this status or a higher one."""

    free_from: int
    give_back: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Admission:
    """Filled by the checks of a request, settled when its status is known."""

    requests: Reading | None = None
    minute: Reading | None = None
    month: MonthReading | None = None
    charges: list[Charge] = field(default_factory=list)

    async def settle(self, status: int) -> None:
        """Gives back what a request with this status does not cost, and nothing twice."""
        free = [charge for charge in self.charges if status >= charge.free_from]
        self.charges = [charge for charge in self.charges if status < charge.free_from]
        for charge in reversed(free):
            await _safely(charge)

    async def refund(self) -> None:
        """Gives back everything that has not been: a stream that fails has sent its status long before."""
        await self.settle(FAILED)


def admission_of(scope: MutableMapping[str, Any]) -> Admission:
    """Made where there is none yet."""
    admission: Admission = scope.setdefault(KEY, None) or Admission()
    scope[KEY] = admission
    return admission


async def _safely(charge: Charge) -> None:
    try:
        await charge.give_back()
    except Exception:
        logger.exception("a charge could not be given back")

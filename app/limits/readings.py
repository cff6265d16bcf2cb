"""What a limit says when it is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of one limit after it was asked."""

    limit: int
    remaining: int
    reset: int
    """Unix seconds when it is full again."""
    retry_after: int = 1
    """Whole seconds after which a refused request may pass."""
    admitted: bool = True


@dataclass(frozen=True, slots=True)
class MonthReading:
    """The state of a month's quota after it was asked."""

    month: str
    limit: int | None
    used: int
    reset: int
    """Unix seconds when the next month begins."""
    retry_after: int
    admitted: bool = True

    @property
    def remaining(self) -> int | None:
        """None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.used)


def full(limit: int, now: int) -> Reading:
    """A limit that nothing was taken from."""
    return Reading(limit, limit, now)

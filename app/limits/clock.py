"""The time, replaceable."""

from __future__ import annotations

import time
from collections.abc import Callable

MICROSECONDS = 1_000_000

Clock = Callable[[], int]
"""Microseconds since 1970: whole numbers, so that no rounding ever gives or takes a token."""


def system_clock() -> int:
    return time.time_ns() // 1_000


def seconds(clock: Clock) -> int:
    """Whole Unix seconds, rounded down."""
    return clock() // MICROSECONDS


def round_up(amount: int, unit: int) -> int:
    return -(-amount // unit)

"""What is kept by name in this process, and forgotten when it counts no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")
SWEPT_FROM = 1_024
"""Names from which on those that count no more are forgotten."""


class Kept(dict[str, Value]):
    """Swept each time it has grown to twice what counted, so that a change costs the same however many there are."""

    def __init__(self) -> None:
        super().__init__()
        self._sweep_at = SWEPT_FROM

    def sweep(self, counts: Callable[[Value], bool]) -> None:
        if len(self) < self._sweep_at:
            return
        for name in [name for name, value in self.items() if not counts(value)]:
            del self[name]
        self._sweep_at = max(SWEPT_FROM, 2 * len(self))

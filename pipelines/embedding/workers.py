"""The threads that embed in bulk, at the lowest priority: a question, embedded in its caller's thread, goes first."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

LOWEST_PRIORITY = 19


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BulkWorkers:
    """Low-priority threads, by default as many as cores; they start with the first work."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or available_cores()
        self._pool = ThreadPoolExecutor(self.threads, "embed", initializer=lower_own_priority)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the items' order; few are in flight, so that callers take turns instead of queueing."""
        pending: deque[Future[Result]] = deque()
        try:
            for item in items:
                if len(pending) == 2 * self.threads:
                    yield pending.popleft().result()
                pending.append(self._pool.submit(function, item))
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def lower_own_priority() -> None:
    """Lower the calling thread's scheduling priority, where threads have one of their own (Linux)."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator

import pytest

from pipelines.embedding.workers import LOWEST_PRIORITY, BulkWorkers


def test_results_keep_their_order() -> None:
    """Results come in the order of the items, however long each takes."""

    def slow_first(item: int) -> int:
        time.sleep(0.02 if item % 4 == 0 else 0)
        return item

    assert list(BulkWorkers(3).map(slow_first, range(40))) == list(range(40))


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
def test_workers_yield_to_others() -> None:
    """Workers run at the lowest priority, their caller at the one it had."""
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    priorities = BulkWorkers(2).map(lambda _: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), range(4))
    assert set(priorities) == {LOWEST_PRIORITY}
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_callers_take_turns() -> None:
    """A small job is done long before a large one that began earlier."""
    workers, order = BulkWorkers(1), []
    begun, submitted, gate = threading.Event(), threading.Event(), threading.Event()

    def work(job: str) -> None:
        order.append(job)
        begun.set()
        gate.wait()
        time.sleep(0.001)

    def small_job() -> Iterator[str]:
        yield "small"
        submitted.set()
        yield "small"

    jobs: list[Iterable[str]] = [["large"] * 300, small_job()]
    large, small = (threading.Thread(target=lambda job=job: list(workers.map(work, job))) for job in jobs)
    large.start()
    begun.wait()
    small.start()
    submitted.wait()
    gate.set()
    small.join()
    assert len(order) < 150
    large.join()
    assert (order.count("large"), order.count("small")) == (300, 2)


def test_a_failure_ends_the_job() -> None:
    """An exception reaches the caller, and what had not begun is not begun."""
    begun: list[int] = []

    def failing(item: int) -> None:
        begun.append(item)
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        list(BulkWorkers(1).map(failing, range(1000)))
    assert len(begun) <= 3

"""What the process counts of itself, for Prometheus."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from pipelines.types import Answer, Delta

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
UNKNOWN = "none"
"""The route of a request to an address that is none: addresses themselves would make no end of series."""


class Metrics:
    """This process's; several processes are several targets."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ["method", "route", "status"]
        self._requests = Counter("kb_requests", "Requests.", labels, registry=self.registry)
        self._seconds = Histogram(
            "kb_request_seconds", "Time to the end of the response.", ["route"], buckets=SECONDS, registry=self.registry
        )
        self._questions = Counter(
            "kb_questions", "Questions by what became of them.", ["result"], registry=self.registry
        )
        self.pending = Gauge("kb_documents_pending", "Documents not searchable yet.", registry=self.registry)
        self.unreranked = Gauge(
            "kb_questions_unreranked", "Searches whose order the reranker failed to improve.", registry=self.registry
        )
        self.unchecked = Gauge(
            "kb_limits_unchecked", "Checks of limits not made because Redis was away.", registry=self.registry
        )

    def request(self, method: str, route: str | None, status: int, seconds: float) -> None:
        self._requests.labels(method, route or UNKNOWN, str(status)).inc()
        self._seconds.labels(route or UNKNOWN).observe(seconds)

    def question(self, answer: Answer) -> None:
        self._questions.labels("answered" if answer.citations else "nothing found").inc()

    async def counted(self, events: AsyncGenerator[Delta | Answer, None]) -> AsyncGenerator[Delta | Answer, None]:
        """The same stream, its answer counted."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Answer):
                    self.question(event)
                yield event

"""`query_metadata`: an id for the question, and how long its answer took."""

from __future__ import annotations

import time
from typing import Any

from app.identifiers import new_id


class Stopwatch:
    """Runs from its making."""

    def __init__(self) -> None:
        self._id = new_id()
        self._start = time.perf_counter()

    def metadata(self, searched: int, used: int) -> dict[str, Any]:
        return {
            "query_id": self._id,
            "response_time_ms": round((time.perf_counter() - self._start) * 1000),
            "sources_searched": searched,
            "sources_used": used,
        }

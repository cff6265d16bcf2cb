"""What happens while Redis is away: requests pass, and that is logged and counted."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.exceptions import RedisError

from app.limits.clock import MICROSECONDS, Clock

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")
PAUSE = 2 * MICROSECONDS
"""After a failure, for how long Redis is not even asked: no request is to wait for it in vain again and again."""


class Lenient:
    """Asks Redis, and does without its answer when there is none."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._away_until = 0
        self.unchecked = 0
        """How many checks were not made."""

    async def ask(self, asking: Callable[[], Awaitable[Answer]], otherwise: Callable[[], Answer]) -> Answer:
        if self._clock() >= self._away_until:
            try:
                return await asking()
            except (RedisError, OSError) as error:
                self._note(error)
        self.unchecked += 1
        return otherwise()

    def _note(self, error: Exception) -> None:
        self._away_until = self._clock() + PAUSE
        logger.warning("Redis is away, limits let requests pass (%d so far): %s", self.unchecked, type(error).__name__)

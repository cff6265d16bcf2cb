"""An index raises whatever its transport or its core raises; callers know one refusal."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from pipelines.errors import IndexUnavailable

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


def guarded(call: Callable[P, T]) -> Callable[P, T]:
    """The call, raising IndexUnavailable for whatever it raises; what that was is logged."""

    @functools.wraps(call)
    def guard(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except IndexUnavailable:
            raise
        except Exception as error:
            logger.warning("%s: %s: %s", call.__qualname__, type(error).__name__, error)
            raise IndexUnavailable from error

    return guard

"""What went wrong at a language model's server, whichever client speaks to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

import httpx

TOO_LONG = re.compile(r"context|too (?:long|large|many tokens)|maximum.{0,20}length", re.IGNORECASE)
BUSY_STATUS = frozenset({429, 503})
LENGTH_STATUS = frozenset({400, 413, 422})


class Failure(Enum):
    CONTEXT_EXCEEDED = "the prompt is longer than the model's context"
    BUSY = "the server cannot be reached, is loading or has too much to do"
    BROKEN = "anything that asking again would not mend"


class EndedEarly(Exception):
    """A stream that ended without saying that it was finished."""


def failure_of(error: BaseException) -> Failure:
    """The kind of failure behind a client's exception."""
    status = status_of(error)
    if status in LENGTH_STATUS and TOO_LONG.search(str(error)):
        return Failure.CONTEXT_EXCEEDED
    unreachable = any(isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout) for cause in _causes(error))
    return Failure.BUSY if status in BUSY_STATUS or unreachable else Failure.BROKEN


def status_of(error: BaseException) -> int | None:
    """The HTTP status of the answer that the client took for an error, if there was one."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

"""What is known of a request while it runs, for its log line and its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.identifiers import new_id
from app.roles import Operation

KEY = "kb.context"


async def _nobody_to_check() -> None:
    """There were no credentials."""


@dataclass(slots=True)
class RequestContext:
    request_id: str
    organization_id: UUID | None = None
    check_again: Callable[[], Awaitable[None]] = _nobody_to_check
    """Raises a refusal when the credentials that were shown are good no more, or permit no more what is wanted."""
    operation: Operation | None = None
    """What the caller has to be permitted."""


def context_of(scope: MutableMapping[str, Any]) -> RequestContext:
    """Made where there is none yet."""
    context: RequestContext = scope.setdefault(KEY, None) or RequestContext(str(new_id()))
    scope[KEY] = context
    return context

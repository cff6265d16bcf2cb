"""What is known of a request while it runs, for its log line and its answer."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.identifiers import new_id

KEY = "kb.context"


@dataclass(slots=True)
class RequestContext:
    request_id: str
    organization_id: UUID | None = None


def context_of(scope: MutableMapping[str, Any]) -> RequestContext:
    """Made where there is none yet."""
    context: RequestContext = scope.setdefault(KEY, None) or RequestContext(str(new_id()))
    scope[KEY] = context
    return context

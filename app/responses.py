"""JSON as the service writes it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from starlette.responses import Response


def encode(content: Any) -> bytes:
    """Ids that come from PostgreSQL and the library's read-only mappings are of types that orjson does not know."""
    return orjson.dumps(content, default=_plain)


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encode(content), status, headers, "application/json")


def timestamp(moment: datetime | None) -> str | None:
    """`2026-11-21T05:31:00.123Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError

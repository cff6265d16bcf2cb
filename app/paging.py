"""Pages of lists: `?limit=&cursor=`, and cursors that say nothing to a client."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from pipelines.errors import InvalidCursor

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page ends: a moment, and the id that tells things of the same moment apart."""

    moment: datetime
    id: UUID

    def encode(self) -> str:
        raw = ((self.moment - EPOCH) // MICROSECOND).to_bytes(8) + self.id.bytes
        return base64.urlsafe_b64encode(raw).decode()

    @classmethod
    def decode(cls, cursor: str) -> Place:
        """Raises InvalidCursor."""
        try:
            raw = base64.b64decode(cursor, altchars=b"-_", validate=True)
            return cls(EPOCH + int.from_bytes(raw[:8]) * MICROSECOND, UUID(bytes=raw[8:]))
        except (ValueError, OverflowError, binascii.Error):
            raise InvalidCursor from None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    items: Sequence[T]
    next_cursor: str | None

    def as_json(self, noun: str, show: Callable[[T], dict[str, Any]]) -> dict[str, Any]:
        return {noun: [show(item) for item in self.items], "next_cursor": self.next_cursor}


def page(found: Sequence[T], limit: int, place: Callable[[T], Place]) -> Page[T]:
    """Of one more than was asked for, if there is one more."""
    items = found[:limit]
    return Page(items, place(items[-1]).encode() if len(found) > limit else None)


def decoded(cursor: str | None) -> Place | None:
    return None if cursor is None else Place.decode(cursor)

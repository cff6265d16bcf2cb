"""Ids that we mint sort by time."""

from __future__ import annotations

from uuid import UUID

import uuid_utils


def new_id() -> UUID:
    """A UUID of version 7."""
    return UUID(int=uuid_utils.uuid7().int)


def read_id(text: str) -> UUID | None:
    """An id as clients write it; None when it is no UUID, which names nothing."""
    try:
        return UUID(text)
    except ValueError:
        return None

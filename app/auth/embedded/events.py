"""What the server tells the house around it: security-relevant acts, never with a secret."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """`name` such as signed_up, confirmed, logged_in, login_failed, token_reused, logged_out, password_changed."""

    name: str
    user_id: uuid.UUID | None = None
    session_id: uuid.UUID | None = None
    details: dict[str, Any] = field(default_factory=dict)


Listener = Callable[[Event], Awaitable[None]]
"""Told after the commit, when its errors change nothing; of `deleting` before it, when they refuse the deletion."""


async def nobody_listens(_event: Event) -> None:
    """The listener of a server that stands alone."""

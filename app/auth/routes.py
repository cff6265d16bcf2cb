"""How a route says who may use it."""

from __future__ import annotations

from fastapi import Depends


async def open_to_all() -> None:
    """Marks a route that needs no credentials."""


OPEN = Depends(open_to_all)

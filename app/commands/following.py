"""Waiting for whoever indexes in this folder: this process, or a server beside it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from uuid import UUID

from app.commands import console
from app.commands.refusals import Refusal
from pipelines.store import documents

if TYPE_CHECKING:
    from pipelines.knowledge import KnowledgeBase

POLL = 0.25
STALLED = 120.0
"""Seconds without a document indexed after which nobody seems to."""


async def until_indexed(knowledge: KnowledgeBase, organization_id: UUID) -> None:
    """Returns when no document of the organization is pending. Raises Refusal when nothing indexes any more."""
    left = await pending(knowledge, organization_id)
    with console.progress() as progress:
        total, since = left, time.monotonic()
        task = progress.add_task("Indexing", total=total)
        while left:
            await asyncio.sleep(POLL)
            before, left = left, await pending(knowledge, organization_id)
            since = since if left == before else time.monotonic()
            if time.monotonic() - since > STALLED:
                raise Refusal(f"{left} documents are pending and nothing indexes them: does kb serve still run?")
            total = max(total, left)
            progress.update(task, total=total, completed=total - left)


async def pending(knowledge: KnowledgeBase, organization_id: UUID) -> int:
    return (await knowledge.database.read(documents.counts, organization_id)).get("pending", 0)

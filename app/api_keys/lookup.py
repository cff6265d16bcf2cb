"""Which key a secret is, at the price of a dictionary for a key that was asked for a moment ago."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from datetime import UTC, datetime
from uuid import UUID

from app.api_keys import repository
from app.api_keys.repository import ApiKey
from app.api_keys.secret import fingerprint, is_well_formed
from pipelines.store.database import Database

logger = logging.getLogger(__name__)

KEPT = 5.0
"""Seconds that a revoked key may go on opening doors in another process."""
MOST_KEPT = 10_000
USE_NOTED_EVERY = 60.0


class KeyLookup:
    """Closed at the end, for what it still has to write down."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: OrderedDict[str, tuple[float, ApiKey]] = OrderedDict()
        self._noted: OrderedDict[UUID, float] = OrderedDict()
        self._notes: set[asyncio.Task[None]] = set()
        self._forgotten = 0

    async def find(self, secret: str) -> ApiKey | None:
        """The key, unless there is none such or it has expired."""
        if not is_well_formed(secret):
            return None
        key = await self._key(fingerprint(secret))
        if key is None or (key.expires_at and key.expires_at <= datetime.now(UTC)):
            return None
        self._note_use(key.id)
        return key

    async def _key(self, digest: str) -> ApiKey | None:
        now = time.monotonic()
        if (kept := self._found.get(digest)) and now - kept[0] < KEPT:
            return kept[1]
        self._found.pop(digest, None)
        before = self._forgotten
        key = await self._database.read(repository.by_fingerprint, digest)
        if key and before == self._forgotten:  # else what was read may be older than what was done
            self._found[digest] = now, key
            _trim(self._found)
        return key

    def _note_use(self, key_id: UUID) -> None:
        """Beside the request, once a minute: a write would cost it more than all the rest of the look-up."""
        now = time.monotonic()
        if now - self._noted.get(key_id, -USE_NOTED_EVERY) < USE_NOTED_EVERY:
            return
        self._noted[key_id] = now
        self._noted.move_to_end(key_id)
        _trim(self._noted)
        task = asyncio.create_task(self._write_use(key_id, datetime.now(UTC)))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _write_use(self, key_id: UUID, moment: datetime) -> None:
        try:
            await self._database.write(repository.touch, key_id, moment)
        except Exception:
            logger.exception("the use of a key could not be noted")

    def forget(self) -> None:
        """Asks the database again for every key: one was revoked in this process."""
        self._found.clear()
        self._forgotten += 1

    async def close(self) -> None:
        await asyncio.gather(*self._notes)


def _trim(kept: OrderedDict[str, tuple[float, ApiKey]] | OrderedDict[UUID, float]) -> None:
    if len(kept) > MOST_KEPT:
        kept.popitem(last=False)

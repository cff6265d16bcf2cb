"""Which key a secret is, at the price of a dictionary for a key that was asked for a moment ago."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime
from uuid import UUID

from app.api_keys import repository
from app.api_keys.repository import ApiKey
from app.api_keys.secret import fingerprint, is_well_formed
from app.read_through import MOST_KEPT, ReadThroughCache
from pipelines.lru_cache import LruCache
from pipelines.store.database import Database

logger = logging.getLogger(__name__)

USE_NOTED_EVERY = 60.0


class KeyLookup:
    """Closed at the end, for what it still has to write down."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: ReadThroughCache[str, ApiKey] = ReadThroughCache()
        self._noted: LruCache[UUID, float] = LruCache(MOST_KEPT)
        self._notes: set[asyncio.Task[None]] = set()

    async def find(self, secret: str) -> ApiKey | None:
        """The key, unless there is none such or it has expired."""
        if not is_well_formed(secret):
            return None
        key = await self._found.get(fingerprint(secret), self._read)
        if key is None or (key.expires_at and key.expires_at <= datetime.now(UTC)):
            return None
        self._note_use(key.id)
        return key

    async def _read(self, digest: str) -> ApiKey | None:
        return await self._database.read(repository.by_fingerprint, digest)

    def _note_use(self, key_id: UUID) -> None:
        """Beside the request, once a minute: a write would cost it more than all the rest of the look-up."""
        now, noted = time.monotonic(), self._noted.get(key_id)
        if noted is not None and now - noted < USE_NOTED_EVERY:
            return
        self._noted.put(key_id, now)
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
        self._found.forget_all()

    async def close(self) -> None:
        await asyncio.gather(*self._notes)

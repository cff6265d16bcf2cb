"""The identity server without its HTTP: settings, store, keys, mail; and one request's share of them."""

import dataclasses
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.auth.embedded.clock import Clock, utc_now
from app.auth.embedded.database import Database
from app.auth.embedded.errors import IdentityError
from app.auth.embedded.events import Event, Listener, nobody_listens
from app.auth.embedded.keys import Keys
from app.auth.embedded.mail import Mailer
from app.auth.embedded.models import User, UserSession
from app.auth.embedded.passwords import Passwords
from app.auth.embedded.settings import IdentitySettings

log = logging.getLogger(__name__)


LIVE = (
    select(User.banned_until)
    .join(UserSession, UserSession.user_id == User.id)
    .where(UserSession.id == bindparam("session"), User.id == bindparam("person"), User.deleted_at.is_(None))
)


def is_live(connection: Connection, user_id: uuid.UUID, session_id: uuid.UUID, now: datetime) -> bool:
    """Has this session not ended, and is its person neither banned nor deleted?"""
    found = connection.execute(LIVE, {"session": session_id, "person": user_id}).first()
    return found is not None and not (found[0] and found[0] > now)


@dataclass
class Work:
    """One transaction and what it may use; its events go out once it has been committed."""

    db: AsyncSession
    settings: IdentitySettings
    keys: Keys
    now: datetime
    events: list[Event] = field(default_factory=list)

    def record(self, name: str, user: User | None, session: uuid.UUID | None = None, **details: str) -> None:
        self.events.append(Event(name, user.id if user else None, session, details))

    def expired(self, since: datetime, seconds: float) -> bool:
        return self.now - since > timedelta(seconds=seconds)


@dataclass(frozen=True)
class Identity:
    """All that a request needs; make one with `Identity.over(...)`."""

    settings: IdentitySettings
    database: Database
    keys: Keys
    mailer: Mailer
    passwords: Passwords
    listener: Listener
    clock: Clock

    @classmethod
    def over(
        cls,
        engine: AsyncEngine,
        settings: IdentitySettings,
        mailer: Mailer,
        *,
        passwords: Passwords | None = None,
        listener: Listener = nobody_listens,
        clock: Clock = utc_now,
    ) -> Self:
        database = Database(engine)
        keys = Keys(database, settings, clock)
        return cls(settings, database, keys, mailer, passwords or Passwords(), listener, clock)

    def leading_to(self, confirm_url: str | None) -> "Identity":
        """The same server, but its mails lead to this page instead of its own /verify."""
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, confirm_url=confirm_url))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Work]:
        await self.keys.load()
        events: list[Event] = []
        try:
            async with self.database.transaction() as db:
                yield Work(db, self.settings, self.keys, self.clock(), events)
        except IdentityError as refusal:
            await self._tell(events if refusal.keep else [])
            raise
        await self._tell(events)

    async def _tell(self, events: list[Event]) -> None:
        for event in events:
            try:
                await self.listener(event)
            except Exception:  # what has been committed is not undone by a listener
                log.exception("the listener failed at %s", event.name)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Work]:
        await self.keys.load()
        async with self.database.reading() as db:
            yield Work(db, self.settings, self.keys, self.clock())

    async def is_live(self, user_id: uuid.UUID, session_id: uuid.UUID) -> bool:
        """Has this session not ended, and is its person neither banned nor deleted?"""
        async with self.database.reading() as db:
            return await db.run_sync(lambda session: is_live(session.connection(), user_id, session_id, self.clock()))

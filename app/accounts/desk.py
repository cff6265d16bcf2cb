"""What all account services work with."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.accounts import repository
from app.accounts.floor import Floor
from app.accounts.notices import Notices
from app.accounts.providers import Offers
from app.accounts.repository import Details
from app.accounts.tokens import Arrival, TokenSet
from app.auth.client import as_administrator
from app.auth.identity import IdentityServer
from app.auth.jwks import IdentityUnavailable
from app.errors import Forbidden, NotFound, Unauthorized
from app.members import repository as members
from app.principal import Person
from pipelines.store.database import Database

if TYPE_CHECKING:
    from supabase_auth import Session

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """The identity server and what it offers, our own database, mails of ours, and how long answers take at least."""

    identity: IdentityServer
    offers: Offers
    database: Database
    notices: Notices
    floor: Floor
    site: str
    """Our public address."""

    async def person(self, session: Session | None) -> Person:
        """Whom the identity server has let in, by its own token. Raises IdentityUnavailable for none."""
        try:
            return await self.identity.verifier.verify(session.access_token if session else "")
        except Unauthorized:
            logger.error("the identity server's own token is not valid: is its address configured as it names itself?")
            raise IdentityUnavailable from None

    async def arrive(
        self,
        session: Session | None,
        action: str | None,
        details: Details | None = None,
        organization_name: str | None = None,
        invitation_hash: str | None = None,
    ) -> Arrival:
        """Somebody has logged in, and what belongs to them is made; an invitation that fails ends the session."""
        person = await self.person(session)
        is_closed = invitation_hash is None and await self._is_closed_to(person)
        try:
            organization_id = await self.database.write(
                repository.arrive, person, action, details, organization_name, invitation_hash, is_closed=is_closed
            )
        except (NotFound, Forbidden):
            await self.sign_out(person, "local")
            raise
        assert session is not None  # noqa: S101 - `person` has seen it
        return Arrival(TokenSet.of(session), person.user_id, person.email, organization_id)

    async def _is_closed_to(self, person: Person) -> bool:
        """Whether signing up is, to a newcomer."""
        known = await self.database.read(members.standing, person.user_id, person.session_id)
        return not known and await self.offers.are_closed()

    async def sign_out(self, person: Person, scope: str) -> None:
        """At the identity server, where it may have ended already."""
        try:
            async with as_administrator(self.identity) as client:
                await client.admin.sign_out(person.token, scope)  # type: ignore[arg-type]  # checked by the endpoint
        except Unauthorized:
            return

    def from_now(self) -> datetime:
        """Since when tokens count after others have ended.

        Tokens name whole seconds. The embedded server is asked about each session; of another one's tokens those of
        this second are refused, and `settled` waits for the next one before anybody can log in again.
        """
        now = datetime.now(UTC)
        return now if self.identity.embedded else datetime.fromtimestamp(math.ceil(now.timestamp()), UTC)

    @staticmethod
    async def settled(since: datetime) -> None:
        await asyncio.sleep(max(0.0, since.timestamp() - time.time()))

"""The account services of a running application."""

from __future__ import annotations

from dataclasses import dataclass

from app.accounts.desk import Desk
from app.accounts.floor import Floor
from app.accounts.notices import Notices
from app.accounts.oauth import OAuth
from app.accounts.providers import Offers
from app.accounts.redirects import Redirects
from app.auth.identity import IdentityServer
from app.config import Settings
from pipelines.store.database import Database


@dataclass(frozen=True, slots=True)
class Accounts:
    """Closed before the identity server is, for mails may be on their way."""

    desk: Desk
    oauth: OAuth

    @classmethod
    def over(cls, settings: Settings, identity: IdentityServer, database: Database) -> Accounts:
        site = settings.public_url.rstrip("/")
        floor = Floor(settings.identity_floor)
        desk = Desk(identity, Offers(identity), database, Notices(settings, database), floor, site)
        return cls(desk, OAuth(desk, Redirects(site, settings.redirect_allow_list)))

    async def close(self) -> None:
        await self.desk.floor.close()

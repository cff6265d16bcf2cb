"""The database and the knowledge base that the settings name, and the organization a command is for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.commands import logs
from app.commands.refusals import Refusal
from app.config import Settings
from app.identifiers import read_id
from app.organizations.service import Organization, OrganizationNotFound, get_organization, list_organizations
from pipelines.errors import InUse
from pipelines.store.database import Database
from pipelines.store.folder import make_private

if TYPE_CHECKING:
    from pipelines.knowledge import KnowledgeBase


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    """With its tables up to date; without the library's indexes and models, which take seconds to import."""
    from app.migrations import migrate

    make_private(settings.data_dir)
    database = Database(settings.database_url or f"sqlite:///{(settings.data_dir / 'kb.sqlite3').absolute()}")
    try:
        await migrate(database)
        yield database
    finally:
        await database.close()


@dataclass(frozen=True, slots=True)
class Opened:
    """A knowledge base; `alone` is False beside a server that does the indexing in this folder."""

    knowledge: KnowledgeBase
    alone: bool


@asynccontextmanager
async def opened_knowledge(settings: Settings) -> AsyncIterator[Opened]:
    """Where another process indexes in the folder already, a knowledge base that only accepts."""
    from app.knowledge import open_knowledge

    logs.tell_long_work()
    alone = True
    try:
        knowledge = await open_knowledge(settings)
    except InUse:
        alone = False
        knowledge = await open_knowledge(settings, worker=False)
    async with knowledge:
        yield Opened(knowledge, alone)


async def chosen(database: Database, text: str | None) -> Organization:
    """The organization named, else the only one there is."""
    return await named(database, text) if text else await _only(database)


async def named(database: Database, text: str) -> Organization:
    organization_id = read_id(text)
    if organization_id is None:
        raise Refusal(f"{text!r} is not an organization's id; kb admin list shows them.")
    try:
        return await get_organization(database, organization_id)
    except OrganizationNotFound:
        raise Refusal(f"There is no organization {organization_id}; kb admin list shows them.") from None


async def _only(database: Database) -> Organization:
    there = await list_organizations(database)
    if len(there) == 1:
        return there[0]
    if not there:
        raise Refusal("There is no organization yet: kb admin create-org NAME makes one.")
    listed = "\n".join(f"  {one.id}  {one.name}" for one in there)
    raise Refusal(f"There are several organizations; name one with --organization:\n{listed}")

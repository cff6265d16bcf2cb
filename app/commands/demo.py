"""The demo: an organization with sample documents, a fresh API key, and a line to copy."""

from __future__ import annotations

import json
import secrets
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection
from supabase_auth.errors import AuthApiError

from app.api_keys.service import create_key, revoke_named
from app.auth.client import AccountExists, as_administrator
from app.auth.identity import opened as opened_identity
from app.commands import console
from app.commands.ingest import put_all
from app.commands.reading import opening, read
from app.commands.refusals import Refusal
from app.config import Settings
from app.members import repository as members
from app.organizations import repository as organizations
from app.organizations.service import Organization, OrganizationNotFound, get_organization, new_organization
from pipelines.knowledge import KnowledgeBase
from pipelines.store.database import Database
from pipelines.types import Scope

ORGANIZATION, PLAN, KEY = "Demo", "pro", "demo"
ORGANIZATION_ID = UUID("de300000-0000-4000-8000-000000000002")
"""A customer may be called Demo as well."""
PERSON, PERSON_ID = "demo@example.com", UUID("de300000-0000-4000-8000-000000000001")
HANDBOOK = Path("data", "handbook", "corpus.jsonl")
HANDBOOK_QUESTION = "How much can I spend per night on a hotel in Lyon?"


@dataclass(frozen=True, slots=True)
class Demo:
    """What a visitor needs: a new API key, a question that the documents answer, and how to log in."""

    secret: str
    question: str
    password: str | None
    """Of the person; None with accounts at Supabase, where a demo makes nobody."""


async def prepare(knowledge: KnowledgeBase, settings: Settings) -> Demo:
    """Returns when the documents can be found. The earlier key and password of the demo are good no more."""
    documents = read(data(settings), None)
    organization = await _organization(knowledge.database)
    scope = Scope(organization.id)
    outcome = await put_all(knowledge, documents, scope)
    for failure in outcome.failures:
        console.tell(f"Failed: {failure.name}: {failure.reason}")
    await revoke_named(knowledge.database, organization.id, KEY)
    _, secret = await create_key(knowledge.database, organization.id, KEY)
    question = HANDBOOK_QUESTION if settings.demo_data is None else await _question(knowledge, scope)
    password = None if settings.supabase_url else await _person(knowledge.database, settings, organization)
    return Demo(secret, question, password)


def announce(address: str, demo: Demo) -> None:
    console.say(f"Ready on {address}\n\nAPI key: {demo.secret}\n")
    console.say(f"Ask it:\n\n{curl_line(address, '/api/ai/query', {'question': demo.question}, demo.secret)}\n")
    if demo.password:
        person = {"email": PERSON, "password": demo.password}
        console.say(f"Log in as its owner:\n\n{curl_line(address, '/api/auth/login', person)}\n")
        console.say(f"Mails that the service sends are at {address}/auth/outbox\n")


def curl_line(address: str, path: str, body: dict[str, str], secret: str | None = None) -> str:
    """One line for a shell."""
    key = f" -H 'X-API-Key: {secret}'" if secret else ""
    data = shlex.quote(json.dumps(body, ensure_ascii=False))
    return f"curl -s {address}{path}{key} -H 'Content-Type: application/json' --data-raw {data}"


def data(settings: Settings) -> Path:
    """`KB_DEMO_DATA`; by default the handbook, found without importing its package."""
    return settings.demo_data or handbook()


def handbook() -> Path:
    package = find_spec("eval")
    for place in (package.submodule_search_locations if package else None) or []:
        if (Path(place) / HANDBOOK).is_file():
            return Path(place) / HANDBOOK
    raise Refusal("The sample documents are not installed: name a folder of your own with KB_DEMO_DATA.")


async def _organization(database: Database) -> Organization:
    try:
        return await get_organization(database, ORGANIZATION_ID)
    except OrganizationNotFound:
        made = replace(new_organization(ORGANIZATION, PLAN), id=ORGANIZATION_ID)
        await database.write(organizations.add, made)
        return made


async def _person(database: Database, settings: Settings, organization: Organization) -> str:
    """The verified owner of the demo, with a new password."""
    password = secrets.token_urlsafe(9)
    try:
        async with opened_identity(settings) as server, as_administrator(server) as client:
            try:
                await client.admin.update_user_by_id(str(PERSON_ID), {"password": password})
            except AuthApiError:
                await client.admin.create_user(
                    {"id": str(PERSON_ID), "email": PERSON, "password": password, "email_confirm": True}
                )
    except AccountExists:
        raise Refusal(f"{PERSON} has an account here that is not the demo's: it needs another KB_DATA_DIR.") from None
    await database.write(_join, organization.id)
    return password


def _join(connection: Connection, organization_id: UUID) -> None:
    now = datetime.now(UTC)
    members.add_user(connection, PERSON_ID, PERSON, now)
    members.add_member(connection, organization_id, PERSON_ID, "owner", now)


async def _question(knowledge: KnowledgeBase, scope: Scope) -> str:
    """One that a document of one's own answers, as far as the newest of them do."""
    for listed in (await knowledge.list(scope, limit=5)).documents:
        content = (await knowledge.get(listed.id, scope)).content
        for question in (f"What does {listed.title} say?", opening(content)):
            if (await knowledge.answer(question, scope)).citations:
                return question
    return "What is this about?"

"""The demo: an organization with sample documents, a fresh API key, and a line to copy."""

from __future__ import annotations

import json
import shlex
from importlib.util import find_spec
from pathlib import Path

from app.api_keys.service import create_key, revoke_named
from app.commands import console
from app.commands.ingest import put_all
from app.commands.reading import opening, read
from app.commands.refusals import Refusal
from app.config import Settings
from app.organizations.service import Organization, create_organization, list_organizations
from pipelines.knowledge import KnowledgeBase
from pipelines.store.database import Database
from pipelines.types import Scope

ORGANIZATION, PLAN, KEY = "Demo", "pro", "demo"
HANDBOOK = Path("data", "handbook", "corpus.jsonl")
HANDBOOK_QUESTION = "How much can I spend per night on a hotel in Lyon?"


async def prepare(knowledge: KnowledgeBase, settings: Settings) -> tuple[str, str]:
    """A new API key's secret and a question that the documents answer; returns when they can be found."""
    documents = read(data(settings), None)
    organization = await _organization(knowledge.database)
    scope = Scope(organization.id)
    outcome = await put_all(knowledge, documents, scope)
    for failure in outcome.failures:
        console.tell(f"Failed: {failure.name}: {failure.reason}")
    await revoke_named(knowledge.database, organization.id, KEY)
    _, secret = await create_key(knowledge.database, organization.id, KEY)
    return secret, HANDBOOK_QUESTION if settings.demo_data is None else await _question(knowledge, scope)


def announce(address: str, secret: str, question: str) -> None:
    console.say(f"Ready on {address}\n\nAPI key: {secret}\n\nAsk it:\n\n{curl(address, secret, question)}\n")


def curl(address: str, secret: str, question: str) -> str:
    """One line for a shell."""
    body = shlex.quote(json.dumps({"question": question}, ensure_ascii=False))
    return (
        f"curl -s {address}/api/ai/query -H 'X-API-Key: {secret}' -H 'Content-Type: application/json' --data-raw {body}"
    )


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
    for there in await list_organizations(database):
        if there.name == ORGANIZATION:
            return there
    return await create_organization(database, ORGANIZATION, PLAN)


async def _question(knowledge: KnowledgeBase, scope: Scope) -> str:
    """One that a document of one's own answers, as far as the newest of them do."""
    for listed in (await knowledge.list(scope, limit=5)).documents:
        content = (await knowledge.get(listed.id, scope)).content
        for question in (f"What does {listed.title} say?", opening(content)):
            if (await knowledge.answer(question, scope)).citations:
                return question
    return "What is this about?"

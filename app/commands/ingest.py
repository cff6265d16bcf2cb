"""`kb ingest`: documents in, in batches, with progress; what failed is told with its reason."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer

from app.commands import console
from app.commands.following import until_indexed
from app.commands.opening import chosen, opened_database, opened_knowledge
from app.commands.reading import Batch, Failure, read
from app.config import Settings, settings_with
from pipelines.types import Document, DocumentStatus, NewDocument, Put, Scope

if TYPE_CHECKING:
    from pipelines.knowledge import KnowledgeBase

BATCH = 50
WAIT = 3600.0
"""Seconds that a batch waits to be searchable; a server beside us is waited for at the end."""


@dataclass(slots=True)
class Outcome:
    """What became of the documents."""

    started: datetime
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    failures: list[Failure] = field(default_factory=list)
    waiting: dict[UUID, str] = field(default_factory=dict)

    def count(self, put: Put) -> None:
        if put.created:
            self.created += 1
        elif put.document.updated_at >= self.started:
            self.updated += 1
        else:
            self.unchanged += 1

    def settle(self, document: Document, name: str) -> None:
        """Takes up what the knowledge base says of a document now."""
        if document.status is DocumentStatus.PENDING:
            self.waiting[document.id] = name
        elif document.status is DocumentStatus.FAILED:
            self.failures.append(Failure(name, document.error or "it could not be indexed"))


def run(path: Path, organization: str | None, source: str | None, *, config: Path | None, as_json: bool) -> None:
    batch = read(path, source)
    if batch.left_out:
        console.tell(_left_out(batch.left_out))
    started = time.monotonic()
    outcome = asyncio.run(_run(settings_with(config), batch, organization))
    _report(outcome, time.monotonic() - started, as_json=as_json)
    if outcome.failures:
        raise typer.Exit(1)


async def _run(settings: Settings, batch: Batch, organization: str | None) -> Outcome:
    async with opened_database(settings) as database:
        scope = Scope((await chosen(database, organization)).id)
    async with opened_knowledge(settings) as opened:
        return await put_all(opened.knowledge, batch, scope)


async def put_all(knowledge: KnowledgeBase, batch: Batch, scope: Scope) -> Outcome:
    """Returns when all is searchable or has failed. Raises Refusal when nothing indexes any more."""
    outcome = Outcome(datetime.now(UTC))
    with console.progress() as progress:
        task = progress.add_task("Taking in", total=batch.total)
        while some := await asyncio.to_thread(lambda: list(islice(batch.documents, BATCH))):
            await _put(knowledge, some, scope, outcome)
            progress.advance(task, len(some))
    if outcome.waiting:
        await until_indexed(knowledge, scope.organization_id)
        for document_id, name in list(outcome.waiting.items()):
            outcome.settle(await knowledge.get(document_id, scope), name)
    return outcome


async def _put(knowledge: KnowledgeBase, some: Sequence[NewDocument | Failure], scope: Scope, outcome: Outcome) -> None:
    from app.commands.limits import refused

    good = []
    for one in some:
        failure = one if isinstance(one, Failure) else refused(one)
        if failure:
            outcome.failures.append(failure)
        elif isinstance(one, NewDocument):
            good.append(one)
    for document, result in zip(good, await knowledge.put_many(good, scope, wait=WAIT), strict=True):
        if isinstance(result, Put):
            outcome.count(result)
            outcome.settle(result.document, document.external_id)
        else:
            outcome.failures.append(Failure(document.external_id, str(result)))


def _left_out(kinds: Mapping[str, int]) -> str:
    told = ", ".join(f"{number} {kind or 'without a suffix'}" for kind, number in sorted(kinds.items()))
    return f"Files of kinds that cannot be read are left out: {told}"


def _report(outcome: Outcome, seconds: float, *, as_json: bool) -> None:
    counts = {"created": outcome.created, "updated": outcome.updated, "unchanged": outcome.unchanged}
    failed = [{"name": one.name, "reason": one.reason} for one in outcome.failures]
    if as_json:
        result: dict[str, Any] = {**counts, "failed": len(failed), "failures": failed, "seconds": round(seconds, 1)}
        console.say_json(result)
        return
    for one in outcome.failures:
        console.tell(f"Failed: {one.name}: {one.reason}")
    told = ", ".join(f"{number} {name}" for name, number in {**counts, "failed": len(failed)}.items())
    console.say(f"{told} in {seconds:.1f} s")

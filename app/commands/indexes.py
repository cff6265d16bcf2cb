"""`kb admin check` and `reindex`: the database, Chroma and the lexical index agree, or are made to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer

from app.commands import console
from app.commands.following import until_indexed
from app.commands.opening import named, opened_database, opened_knowledge
from app.config import Settings, settings_with
from app.organizations.service import list_organizations
from pipelines.errors import InUse
from pipelines.store import changes, publishing
from pipelines.types import CheckReport

if TYPE_CHECKING:
    from pipelines.knowledge import KnowledgeBase


def check(organization: str | None, *, repair: bool, config: Path | None, as_json: bool) -> None:
    reports = asyncio.run(_check(settings_with(config), organization, repair=repair))
    if as_json:
        console.say_json([_fields(report) for report in reports])
    else:
        for report in reports:
            _show(report)
    if any(report.differences for report in reports):
        raise typer.Exit(1)


async def _check(settings: Settings, organization: str | None, *, repair: bool) -> Sequence[CheckReport]:
    """Looking can be done beside a server; repairing takes the folder for itself."""
    ids = await _organizations(settings, organization)
    async with opened_knowledge(settings) as opened:
        if repair and not opened.alone:
            raise InUse
        return [await opened.knowledge.check(one, repair=repair) for one in ids]


async def _organizations(settings: Settings, organization: str | None) -> list[UUID]:
    async with opened_database(settings) as database:
        if organization:
            return [(await named(database, organization)).id]
        return [one.id for one in await list_organizations(database)]


def reindex(organization: str, *, config: Path | None, as_json: bool) -> None:
    report = asyncio.run(_reindex(settings_with(config), organization))
    if as_json:
        console.say_json(_fields(report))
    else:
        _show(report)
    if report.differences or report.failed:
        raise typer.Exit(1)


async def _reindex(settings: Settings, organization: str) -> CheckReport:
    [organization_id] = await _organizations(settings, organization)
    async with opened_knowledge(settings) as opened:
        if opened.alone:
            await opened.knowledge.reindex(organization_id)
        else:
            await _start_over(opened.knowledge, organization_id)
        await until_indexed(opened.knowledge, organization_id)
        return await opened.knowledge.check(organization_id)


async def _start_over(knowledge: KnowledgeBase, organization_id: UUID) -> None:
    """Everything is pending again: the server beside us embeds and indexes it."""
    state = await knowledge.database.read(changes.state, organization_id)
    if state:
        await knowledge.database.write(publishing.start_over, organization_id, state.fingerprint)


def _show(report: CheckReport) -> None:
    console.say(
        f"{report.organization_id}: {report.documents} documents ({report.pending} pending, {report.failed} failed), "
        f"{report.passages} passages, {report.vectors} vectors, {report.lexical} in the lexical index"
    )
    for difference in report.differences:
        console.say(f"  {difference}")
    if not report.differences:
        console.say("  Repaired: they agree now." if report.repaired else "  They agree.")


def _fields(report: CheckReport) -> dict[str, Any]:
    return asdict(report) | {"organization_id": str(report.organization_id)}

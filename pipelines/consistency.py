"""What an operator asks: do database, Chroma and lexical index agree, and make them anew."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, Select, func, select

from pipelines.following import Indexes
from pipelines.store import changes, documents, publishing
from pipelines.store.database import Database
from pipelines.store.tables import documents as document_table
from pipelines.store.tables import passages
from pipelines.types import CheckReport


class Consistency:
    def __init__(self, database: Database, indexes: Indexes, splitter: str) -> None:
        self._database = database
        self._indexes = indexes
        self._splitter = splitter

    async def check(self, organization_id: UUID, *, repair: bool = False) -> CheckReport:
        """Compares passage by passage; with `repair` both indexes are built anew where they differ."""
        report = await self._compare(organization_id)
        if not repair or not report.differences:
            return report
        await self.rebuild(organization_id)
        return await self._compare(organization_id, repaired=True)

    async def _compare(self, organization_id: UUID, *, repaired: bool = False) -> CheckReport:
        state = await self._indexes.state(organization_id)
        by_status, wanted, found = await self._database.read(_facts, organization_id)
        indexes = await self._indexes.current(state) if state else None
        vectors, lexical = (indexes.vectors.ids(), indexes.lexical.ids()) if indexes else (set(), set())
        differences = [*_differences("Chroma", wanted, vectors), *_differences("the lexical index", wanted, lexical)]
        if state and state.documents != found:
            differences.append(f"{found} documents are searchable, but {state.documents} are counted.")
        return CheckReport(
            organization_id=organization_id,
            documents=sum(by_status.values()),
            pending=by_status.get("pending", 0),
            failed=by_status.get("failed", 0),
            passages=len(wanted),
            vectors=len(vectors),
            lexical=len(lexical),
            differences=tuple(differences),
            repaired=repaired,
        )

    async def rebuild(self, organization_id: UUID) -> None:
        """Both indexes anew from the database, beside the present ones; questions go on meanwhile."""
        state = await self._indexes.state(organization_id)
        await self._database.write(changes.recount, organization_id)
        if state:
            await self._indexes.rebuild(state)

    async def reindex(self, organization_id: UUID) -> bool:
        """Rebuilds; after a change of the model or the splitter everything is pending again instead (returns True)."""
        state = await self._database.read(changes.state, organization_id)
        other = await self._database.read(documents.count_cut_otherwise, self._splitter, organization_id)
        if state and (other or state.fingerprint != self._indexes.fingerprint):
            await self._database.write(publishing.start_over, organization_id, self._indexes.fingerprint)
            return True
        await self.rebuild(organization_id)
        return False


def _facts(connection: Connection, organization_id: UUID) -> tuple[dict[str, int], set[int], int]:
    """Documents by status, current passages, searchable documents."""
    by_status = documents.counts(connection, organization_id)
    wanted = set(connection.execute(_passage_ids(organization_id)).scalars())
    return by_status, wanted, connection.execute(_searchable(organization_id)).scalar_one()


def _passage_ids(organization_id: UUID) -> Select[int]:
    return (
        select(passages.c.id)
        .join(document_table, document_table.c.id == passages.c.document_id)
        .where(document_table.c.organization_id == organization_id)
        .where(document_table.c.current_revision == passages.c.revision)
    )


def _searchable(organization_id: UUID) -> Select[int]:
    return (
        select(func.count())
        .select_from(document_table)
        .where(document_table.c.organization_id == organization_id, document_table.c.current_revision.is_not(None))
    )


def _differences(name: str, wanted: set[int], held: set[int]) -> list[str]:
    missing, extra = len(wanted - held), len(held - wanted)
    return [
        *([f"{missing} passages are missing in {name}."] if missing else []),
        *([f"{extra} passages in {name} are not current."] if extra else []),
    ]

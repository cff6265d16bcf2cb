"""Passages of another size are noticed where there are documents already, and made by a reindex."""

from pathlib import Path

import pytest
from llama_index.core.node_parser import SentenceSplitter
from sqlalchemy import text

from pipelines.knowledge import KnowledgeBase
from pipelines.store.database import Database
from pipelines.store.migrate import FOLDER, VERSION_TABLE, migrate, run
from pipelines.store.tables import metadata
from pipelines.text.sizes import PassageSize
from pipelines.types import Scope
from tests.pipelines.conftest import ORGANIZATION, WordHashing, document, settled

SENTENCES = " ".join(f"Heron number {at} nests by rivers." for at in range(12))
SMALL = PassageSize(target_tokens=6)
TOLD = (
    f"1 documents have passages of another size; they can be found, and kb admin reindex {ORGANIZATION}"
    " (in Python: knowledge.reindex) cuts them anew"
)


async def test_another_size_is_told_and_made_by_a_reindex(
    tmp_path: Path, scope: Scope, embedding: WordHashing, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Until then what is there is found as it is; afterwards nothing is told any more."""
    options = {"embedding": embedding, "database_url": database_url}
    async with await KnowledgeBase.open(tmp_path, **options) as large:
        await large.put(document(content=SENTENCES), scope)
        assert (await large.check(ORGANIZATION)).passages == 1
    assert TOLD not in caplog.messages
    async with await KnowledgeBase.open(tmp_path, splitter=SMALL, **options) as small:
        assert TOLD in caplog.messages
        assert (await small.search("heron", scope)).hits
        await small.reindex(ORGANIZATION)
        await settled(small, scope)
        report = await small.check(ORGANIZATION)
        assert (report.passages, report.differences) == (12, ())
    caplog.clear()
    async with await KnowledgeBase.open(tmp_path, splitter=SMALL, **options) as again:
        assert TOLD not in caplog.messages
        await again.reindex(ORGANIZATION)
        assert (await again.check(ORGANIZATION)).pending == 0


async def test_another_splitter_is_another_size(
    tmp_path: Path, scope: Scope, embedding: WordHashing, caplog: pytest.LogCaptureFixture
) -> None:
    """By its class, whatever its settings."""
    for chunk_size in (20, 30):
        splitter = SentenceSplitter(chunk_size=chunk_size, chunk_overlap=0)
        async with await KnowledgeBase.open(tmp_path, embedding=embedding, splitter=splitter) as theirs:
            await theirs.put(document(content=SENTENCES), scope)
    assert TOLD not in caplog.messages
    async with await KnowledgeBase.open(tmp_path, embedding=embedding):
        assert TOLD in caplog.messages


async def test_documents_from_before_were_cut_as_the_library_does(empty_database_url: str) -> None:
    """There was no other way in the service; what was not searchable yet is cut by whoever does it."""
    database = Database(empty_database_url)
    await database.write(run, FOLDER, VERSION_TABLE, metadata, "upgrade", "0001")
    row = "INSERT INTO documents (id, organization_id, source, external_id, revision, current_revision, status, "
    row += "created_at, updated_at) VALUES (:id, :id, 's', 'e', 1, :current, 'indexed', :now, :now)"
    values = [{"id": f"{at:032x}", "current": current, "now": "2026-01-01"} for at, current in ((1, 1), (2, None))]
    if empty_database_url.startswith("postgresql"):
        row = row.replace(":now", "now()")
    await database.write(lambda connection: [connection.execute(text(row), one) for one in values])
    await migrate(database)
    found = "SELECT splitter FROM documents ORDER BY id"
    assert await database.read(lambda connection: connection.execute(text(found)).scalars().all()) == ["112/0", None]
    await database.close()

"""The library's migrations make the tables that the code has, on both databases."""

import asyncio
import sqlite3
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect

from pipelines.store.database import Database
from pipelines.store.migrate import FOLDER, VERSION_TABLE, current_revision, head, migrate, run
from pipelines.store.tables import metadata


def differences(connection: Connection) -> list[object]:
    own = MigrationContext.configure(
        connection,
        opts={
            "version_table": VERSION_TABLE,
            "include_name": lambda name, kind, _: kind != "table" or name in metadata.tables,
        },
    )
    return list(compare_metadata(own, metadata))


async def test_migrations_are_in_step_with_the_tables(empty_database_url: str) -> None:
    """After an upgrade there is nothing that Alembic would add, change or drop."""
    database = Database(empty_database_url)
    await migrate(database)
    assert await database.read(differences) == []
    assert await database.read(current_revision, VERSION_TABLE) == head(FOLDER)
    await database.close()


async def test_processes_that_start_at_once_take_turns(empty_database_url: str) -> None:
    """Upgraded by three at the same time, each finds it done."""
    databases = [Database(empty_database_url) for _ in range(3)]
    await asyncio.gather(*(migrate(database) for database in databases))
    assert await databases[0].read(differences) == []
    for database in databases:
        await database.close()


async def test_a_new_database_is_opened_beside_one_who_writes(tmp_path: Path) -> None:
    """It becomes one with a write-ahead log when he is done: SQLite itself would say at once that it is locked."""
    writing = sqlite3.connect(tmp_path / "kb.sqlite3", isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("CREATE TABLE other (id)")
    database = Database(f"sqlite:///{tmp_path}/kb.sqlite3")
    reading = asyncio.create_task(database.read(current_revision, VERSION_TABLE))
    await asyncio.sleep(0.1)
    writing.execute("COMMIT")
    assert await reading is None
    assert await database.read(lambda connection: connection.exec_driver_sql("PRAGMA journal_mode").scalar()) == "wal"
    writing.close()
    await database.close()


async def test_a_downgrade_leaves_nothing(tmp_path: Path) -> None:
    """What the upgrade made, the downgrade takes away."""
    database = Database(f"sqlite:///{tmp_path}/kb.sqlite3")
    await migrate(database)
    await database.write(run, FOLDER, VERSION_TABLE, metadata, "downgrade", "base")
    assert await database.read(lambda connection: inspect(connection).get_table_names()) == [VERSION_TABLE]
    await database.close()

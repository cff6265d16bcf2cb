"""A database that is away or locked is 503 with a time to come back, and no log line tells what was asked."""

from __future__ import annotations

import logging
import socket
import sqlite3
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.auth.embedded.database import open_engine
from app.error_handlers import as_service_error
from pipelines.knowledge import KnowledgeBase
from pipelines.store.database import Database
from tests.app.conftest import page
from tests.app.test_conventions import assert_is_error

AWAY = Exception("server closed the connection")
SECRET = "heron@example.com"


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("SELECT :a", {"a": SECRET}, AWAY),
        InterfaceError("SELECT :a", {"a": SECRET}, AWAY),
        DBAPIError("SELECT :a", {"a": SECRET}, AWAY, connection_invalidated=True),
        PoolTimeout("QueuePool limit of size 5 reached"),
    ],
)
def test_what_means_that_the_database_is_away(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """Each is 503, logged once as an error without the statement's values."""
    refusal = as_service_error(error)
    assert (refusal.status, refusal.code, refusal.headers) == (503, "DATABASE_UNAVAILABLE", {"Retry-After": "5"})
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert SECRET not in caplog.text


def test_what_means_something_else(caplog: pytest.LogCaptureFixture) -> None:
    """A constraint that does not hold is a defect of ours."""
    assert as_service_error(IntegrityError("INSERT", {}, AWAY)).status == 500


async def test_a_locked_database(
    client: httpx.AsyncClient,
    knowledge: KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While another process holds the lock a write is 503; afterwards it is taken."""
    await knowledge.database.write(be_impatient)
    caplog.clear()
    with sqlite3.connect(tmp_path / "kb.sqlite3", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = await client.post("/api/documents", json=page(content=SECRET))
        other.execute("ROLLBACK")
    assert_is_error(refused, 503, "DATABASE_UNAVAILABLE")
    assert refused.headers["retry-after"] == "5"
    assert len([one for one in caplog.records if one.name == "app.error_handlers"]) == 1
    assert SECRET not in caplog.text
    assert (await client.post("/api/documents", json=page())).status_code == 201


def be_impatient(connection: Connection) -> None:
    connection.execute(text("PRAGMA busy_timeout=50"))


async def test_a_server_that_is_away(app: FastAPI) -> None:
    """That nobody listens at the address is an error like any other of the database."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        database = Database(f"postgresql://kb@127.0.0.1:{unused.getsockname()[1]}/kb")
        for work in (database.read, database.write):
            with pytest.raises(OperationalError) as caught:
                await work(be_impatient)
            assert as_service_error(caught.value).code == "DATABASE_UNAVAILABLE"
        await database.close()


async def test_errors_hide_values(tmp_path: Path) -> None:
    """No engine tells in an error what it was given."""
    database = Database(f"sqlite:///{tmp_path}/other.sqlite3")
    engines = (database.engine, open_engine(f"sqlite+aiosqlite:///{tmp_path}/identity.sqlite3"))
    for work in (database.read, database.write):
        with pytest.raises(OperationalError) as caught:
            await work(ask_for_what_is_not_there)
        assert SECRET not in str(caught.value)
    for engine in engines:
        with pytest.raises(OperationalError) as caught:
            async with engine.begin() as connection:
                await connection.run_sync(ask_for_what_is_not_there)
        assert SECRET not in str(caught.value)
        await engine.dispose()
    await database.close()


def ask_for_what_is_not_there(connection: Connection) -> None:
    connection.execute(text("SELECT * FROM nothing WHERE a = :a"), {"a": SECRET})

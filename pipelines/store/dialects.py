"""Inserts that may conflict: both databases know them, SQLAlchemy by a class of each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert(connection: Connection, table: Table) -> Any:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return INSERTS[connection.dialect.name](table)

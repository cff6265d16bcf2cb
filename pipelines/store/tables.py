"""The library's tables. No foreign key leads out of the library but an organization's id, which is only a value."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Instant(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no time zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


Json = JSON().with_variant(JSONB(), "postgresql")
RowId = BigInteger().with_variant(Integer(), "sqlite")

indexes = Table(
    "indexes",
    metadata,
    Column("organization_id", Uuid, primary_key=True),
    Column("change", BigInteger, nullable=False, server_default="0"),  # number of the organization's last change
    Column("generation", Integer, nullable=False, server_default="1"),  # a rebuilt index has a new name
    Column("fingerprint", String(200), nullable=False),  # the embedding model that made the vectors
    Column("documents", Integer, nullable=False, server_default="0"),  # documents that can be found
)

documents = Table(
    "documents",
    metadata,
    Column("id", Uuid, primary_key=True),  # UUID v7: sorts by creation
    Column("organization_id", Uuid, nullable=False),
    Column("source", String(100), nullable=False),
    Column("external_id", String(512), nullable=False),
    Column("revision", Integer, nullable=False),  # newest
    Column("current_revision", Integer),  # the one that is searched and cited; null before the first
    Column("status", String(10), nullable=False),
    Column("error", Text),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_try_at", Instant),
    Column("lease_owner", String(64)),
    Column("lease_until", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("indexed_at", Instant),
    Column("splitter", String(40)),  # what the current revision's passages were cut by
    UniqueConstraint("organization_id", "source", "external_id"),
    Index(None, "organization_id", "id"),
    Index(None, "status", "next_try_at"),
)

revisions = Table(
    "revisions",
    metadata,
    Column("document_id", Uuid, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("url", Text),
    Column("metadata", Json, nullable=False),
    Column("day", Date, nullable=False),
    Column("language", String(8), nullable=False, server_default=""),
    ForeignKeyConstraint(["document_id"], ["documents.id"], ondelete="CASCADE"),
)

passages = Table(
    "passages",
    metadata,
    Column("id", RowId, primary_key=True, autoincrement=True),
    Column("document_id", Uuid, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("context", Text, nullable=False),
    Column("digest", LargeBinary(16), nullable=False),  # of what was embedded: equal ones keep their vector
    Column("vector", LargeBinary, nullable=False),  # float16, unit length
    Column("pieces", LargeBinary),  # the text taken apart, as `pipelines.answering.pieces` packs it
    ForeignKeyConstraint(["document_id"], ["documents.id"], ondelete="CASCADE"),
    Index(None, "document_id"),
    sqlite_autoincrement=True,  # an id is never used again: indexes may still hold the old one
)

changes = Table(
    "changes",
    metadata,
    Column("organization_id", Uuid, primary_key=True),
    Column("document_id", Uuid, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("replaces", Boolean, nullable=False),  # an index may hold older passages of this document
    Index(None, "organization_id", "number"),
)

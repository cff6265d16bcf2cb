"""Organizations and what belongs to them."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, MetaData, String, Table, UniqueConstraint, Uuid

from pipelines.store.tables import Instant, Json
from pipelines.store.tables import metadata as library

metadata = MetaData(naming_convention=library.naming_convention)

organizations = Table(
    "organizations",
    metadata,
    Column("id", Uuid, primary_key=True),  # UUID v7: sorts by creation
    Column("name", String(200), nullable=False),
    Column("plan", String(20), nullable=False),  # free, pro or enterprise
    Column("features", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("organization_id", Uuid, nullable=False),
    Column("name", String(100), nullable=False),
    Column("hash", String(64), nullable=False),  # SHA-256 of the secret, which is kept nowhere
    Column("prefix", String(16), nullable=False),
    Column("role", String(10), nullable=False),  # what its creator was: owner or admin
    Column("created_by", Uuid),  # null: an operator, by the command line
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    UniqueConstraint("hash"),
    ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
    Index(None, "organization_id"),
)

usage = Table(
    "usage",
    metadata,
    Column("organization_id", Uuid, primary_key=True),
    Column("month", String(7), primary_key=True),  # YYYY-MM, of UTC
    Column("used", Integer, nullable=False),
    ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
)

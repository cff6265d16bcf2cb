"""Organizations and what belongs to them."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

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

users = Table(
    "users",
    metadata,
    Column("id", Uuid, primary_key=True),  # the identity server's `sub`
    Column("email", String(320), nullable=False),  # as it was at the last login; may be shared with a single sign-on
    Column("created_at", Instant, nullable=False),
    Column("tokens_valid_after", Instant),  # tokens issued before are refused …
    Column("kept_session", Uuid),  # … but for this session's
)

memberships = Table(
    "memberships",
    metadata,
    Column("organization_id", Uuid, primary_key=True),
    Column("user_id", Uuid, primary_key=True),
    Column("role", String(10), nullable=False),
    Column("joined_at", Instant, nullable=False),
    ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
    ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    Index(None, "user_id"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("organization_id", Uuid, nullable=False),
    Column("email", String(320), nullable=False),  # small letters
    Column("role", String(10), nullable=False),
    Column("hash", String(64), nullable=False),  # SHA-256 of the token in the mail
    Column("invited_by", Uuid),  # null: an API key that an operator made
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    UniqueConstraint("hash"),
    UniqueConstraint("organization_id", "email"),
    ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
)

notices = Table(
    "notices",
    metadata,
    Column("email", String(320), primary_key=True),  # small letters
    Column("sent_at", Instant, nullable=False),
)

ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("session_id", Uuid, primary_key=True),
    Column("expires_at", Instant, nullable=False),  # when its last access token has expired
)

oauth_flows = Table(
    "oauth_flows",
    metadata,
    Column("state_hash", String(64), primary_key=True),
    Column("browser_hash", String(64), nullable=False),  # of the cookie, which is the PKCE verifier
    Column("provider", String(20), nullable=False),
    Column("next", Text),
    Column("organization_name", String(200)),
    Column("invitation_hash", String(64)),
    Column("expires_at", Instant, nullable=False),
)

sealed_tokens = Table(
    "sealed_tokens",
    metadata,
    Column("code_hash", String(64), primary_key=True),
    Column("sealed", Text, nullable=False),  # a token set, encrypted with a key that only the code gives
    Column("expires_at", Instant, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Uuid, primary_key=True),  # UUID v7: sorts by time
    Column("at", Instant, nullable=False),
    Column("action", String(50), nullable=False),
    Column("actor", String(60), nullable=False),  # user:…, key:…, operator, nobody
    Column("organization_id", Uuid),
    Column("user_id", Uuid),  # whom it befell
    Column("details", Json, nullable=False),
    Index(None, "organization_id", "id"),
)

"""The identity server's own tables."""

import uuid
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    TypeDecorator,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """SQLite forgets the zone; what comes back is UTC again."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {datetime: UtcDateTime, dict[str, Any]: JSON, list[dict[str, Any]]: JSON}  # noqa: RUF012


class User(Base):
    __tablename__ = "identity_users"
    # The same address may stand once for passwords and links, and once for each single sign-on connection.
    __table_args__ = (
        Index(
            "uq_identity_users_email",
            "email",
            unique=True,
            sqlite_where=text("is_sso = 0"),
            postgresql_where=text("is_sso = false"),
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True, default=uuid.uuid4)
    aud: Mapped[str] = mapped_column(String(64), default="authenticated")
    role: Mapped[str] = mapped_column(String(64), default="authenticated")
    email: Mapped[str] = mapped_column(String(255))
    phone: Mapped[str] = mapped_column(String(64), default="")
    password_hash: Mapped[str | None] = mapped_column(String(512), default=None)
    email_confirmed_at: Mapped[datetime | None] = mapped_column(default=None)
    invited_at: Mapped[datetime | None] = mapped_column(default=None)
    confirmation_sent_at: Mapped[datetime | None] = mapped_column(default=None)
    recovery_sent_at: Mapped[datetime | None] = mapped_column(default=None)
    reauthentication_sent_at: Mapped[datetime | None] = mapped_column(default=None)
    new_email: Mapped[str | None] = mapped_column(String(255), default=None)
    new_phone: Mapped[str | None] = mapped_column(String(64), default=None)
    email_change_sent_at: Mapped[datetime | None] = mapped_column(default=None)
    last_sign_in_at: Mapped[datetime | None] = mapped_column(default=None)
    app_metadata: Mapped[dict[str, Any]] = mapped_column(default=dict)
    user_metadata: Mapped[dict[str, Any]] = mapped_column(default=dict)
    banned_until: Mapped[datetime | None] = mapped_column(default=None)
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    is_sso: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    identities: Mapped[list["UserIdentity"]] = relationship(
        lazy="selectin", order_by="UserIdentity.created_at", cascade="all, delete-orphan"
    )


class UserIdentity(Base):
    """A way to sign in: the address itself, or a subject of a provider."""

    __tablename__ = "identity_identities"
    __table_args__ = (UniqueConstraint("provider", "provider_id"),)

    id: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True, default=uuid.uuid4)
    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("identity_users.id", ondelete="CASCADE"), index=True)
    provider: Mapped[str] = mapped_column(String(128))
    provider_id: Mapped[str] = mapped_column(String(255))
    email: Mapped[str] = mapped_column(String(255), default="")
    identity_data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    last_sign_in_at: Mapped[datetime]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class UserSession(Base):
    """Refresh tokens are computed from `refresh_key` and `refresh_counter`; none is stored."""

    __tablename__ = "identity_sessions"

    id: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True, default=uuid.uuid4)
    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("identity_users.id", ondelete="CASCADE"), index=True)
    refresh_key: Mapped[bytes] = mapped_column(LargeBinary)
    refresh_counter: Mapped[int] = mapped_column(default=0)
    refreshed_at: Mapped[datetime]
    amr: Mapped[list[dict[str, Any]]]
    created_at: Mapped[datetime]


class OneTimeToken(Base):
    """What a mail's link or code stands for; both are kept as hashes."""

    __tablename__ = "identity_one_time_tokens"
    __table_args__ = (UniqueConstraint("user_id", "kind"),)

    id: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True, default=uuid.uuid4)
    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("identity_users.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(32))
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    code_sha256: Mapped[str] = mapped_column(String(64))
    attempts: Mapped[int] = mapped_column(default=0)
    email: Mapped[str] = mapped_column(String(255))
    keeps_password: Mapped[bool] = mapped_column(default=False)
    flow_id: Mapped[uuid.UUID | None] = mapped_column(Uuid, default=None)
    created_at: Mapped[datetime]


class FlowState(Base):
    """A PKCE exchange, and for providers the journey there and back; its id is the OAuth `state`."""

    __tablename__ = "identity_flow_states"

    id: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True, default=uuid.uuid4)
    method: Mapped[str] = mapped_column(String(32))
    challenge: Mapped[str | None] = mapped_column(String(128), default=None)
    challenge_method: Mapped[str | None] = mapped_column(String(8), default=None)
    code_sha256: Mapped[str | None] = mapped_column(String(64), unique=True, default=None)
    user_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("identity_users.id", ondelete="CASCADE"), index=True, default=None
    )
    redirect_to: Mapped[str] = mapped_column(String(2048))
    provider: Mapped[str | None] = mapped_column(String(128), default=None)
    provider_verifier: Mapped[str | None] = mapped_column(String(128), default=None)
    nonce: Mapped[str | None] = mapped_column(String(128), default=None)
    provider_tokens: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(index=True)
    issued_at: Mapped[datetime | None] = mapped_column(default=None)


class Key(Base):
    """A private key as JWK; `retired_at` says since when it only verifies."""

    __tablename__ = "identity_keys"

    kid: Mapped[str] = mapped_column(String(64), primary_key=True)
    jwk: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    retired_at: Mapped[datetime | None] = mapped_column(default=None)

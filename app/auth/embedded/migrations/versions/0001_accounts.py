"""People, their identities and sessions, one-time tokens, journeys to providers, keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

instant = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "identity_keys",
        sa.Column("kid", sa.String(length=64), nullable=False),
        sa.Column("jwk", sa.JSON(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("retired_at", instant),
        sa.PrimaryKeyConstraint("kid", name="pk_identity_keys"),
    )
    op.create_table(
        "identity_users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("aud", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("phone", sa.String(length=64), nullable=False),
        sa.Column("password_hash", sa.String(length=512)),
        sa.Column("email_confirmed_at", instant),
        sa.Column("invited_at", instant),
        sa.Column("confirmation_sent_at", instant),
        sa.Column("recovery_sent_at", instant),
        sa.Column("reauthentication_sent_at", instant),
        sa.Column("new_email", sa.String(length=255)),
        sa.Column("new_phone", sa.String(length=64)),
        sa.Column("email_change_sent_at", instant),
        sa.Column("last_sign_in_at", instant),
        sa.Column("app_metadata", sa.JSON(), nullable=False),
        sa.Column("user_metadata", sa.JSON(), nullable=False),
        sa.Column("banned_until", instant),
        sa.Column("deleted_at", instant),
        sa.Column("is_sso", sa.Boolean(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_identity_users"),
    )
    op.create_index(
        "uq_identity_users_email",
        "identity_users",
        ["email"],
        unique=True,
        sqlite_where=sa.text("is_sso = 0"),
        postgresql_where=sa.text("is_sso = false"),
    )

    op.create_table(
        "identity_flow_states",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("method", sa.String(length=32), nullable=False),
        sa.Column("challenge", sa.String(length=128)),
        sa.Column("challenge_method", sa.String(length=8)),
        sa.Column("code_sha256", sa.String(length=64)),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("redirect_to", sa.String(length=2048), nullable=False),
        sa.Column("provider", sa.String(length=128)),
        sa.Column("provider_verifier", sa.String(length=128)),
        sa.Column("nonce", sa.String(length=128)),
        sa.Column("provider_tokens", sa.JSON(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("issued_at", instant),
        sa.ForeignKeyConstraint(
            ["user_id"], ["identity_users.id"], name="fk_identity_flow_states_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_identity_flow_states"),
        sa.UniqueConstraint("code_sha256", name="uq_identity_flow_states_code_sha256"),
    )
    op.create_index("ix_identity_flow_states_created_at", "identity_flow_states", ["created_at"])
    op.create_index("ix_identity_flow_states_user_id", "identity_flow_states", ["user_id"])

    op.create_table(
        "identity_identities",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("provider", sa.String(length=128), nullable=False),
        sa.Column("provider_id", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("identity_data", sa.JSON(), nullable=False),
        sa.Column("last_sign_in_at", instant, nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["identity_users.id"], name="fk_identity_identities_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_identity_identities"),
        sa.UniqueConstraint("provider", "provider_id", name="uq_identity_identities_provider_provider_id"),
    )
    op.create_index("ix_identity_identities_user_id", "identity_identities", ["user_id"])

    op.create_table(
        "identity_one_time_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("code_sha256", sa.String(length=64), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("keeps_password", sa.Boolean(), nullable=False),
        sa.Column("flow_id", sa.Uuid()),
        sa.Column("created_at", instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["identity_users.id"], name="fk_identity_one_time_tokens_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_identity_one_time_tokens"),
        sa.UniqueConstraint("token_sha256", name="uq_identity_one_time_tokens_token_sha256"),
        sa.UniqueConstraint("user_id", "kind", name="uq_identity_one_time_tokens_user_id_kind"),
    )
    op.create_table(
        "identity_sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("refresh_key", sa.LargeBinary(), nullable=False),
        sa.Column("refresh_counter", sa.Integer(), nullable=False),
        sa.Column("refreshed_at", instant, nullable=False),
        sa.Column("amr", sa.JSON(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["identity_users.id"], name="fk_identity_sessions_user_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_identity_sessions"),
    )
    op.create_index("ix_identity_sessions_user_id", "identity_sessions", ["user_id"])


def downgrade() -> None:
    for table in ("sessions", "one_time_tokens", "identities", "flow_states", "users", "keys"):
        op.drop_table(f"identity_{table}")

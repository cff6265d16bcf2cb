"""Documents, their revisions and passages, and the changes that the indexes follow."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

instant = sa.DateTime(timezone=True)
row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "indexes",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("generation", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("fingerprint", sa.String(200), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("organization_id", name="pk_indexes"),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("external_id", sa.String(512), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("current_revision", sa.Integer()),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("next_try_at", instant),
        sa.Column("lease_owner", sa.String(64)),
        sa.Column("lease_until", instant),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        sa.Column("indexed_at", instant),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint(
            "organization_id", "source", "external_id", name="uq_documents_organization_id_source_external_id"
        ),
    )
    op.create_index("ix_documents_organization_id_id", "documents", ["organization_id", "id"])
    op.create_index("ix_documents_status_next_try_at", "documents", ["status", "next_try_at"])
    op.create_table(
        "revisions",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("metadata", json, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("document_id", "revision", name="pk_revisions"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_revisions_document_id_documents", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "passages",
        sa.Column("id", row_id, nullable=False, autoincrement=True),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(16), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_passages"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_passages_document_id_documents", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passages_document_id", "passages", ["document_id"])
    op.create_table(
        "changes",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("replaces", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "document_id", name="pk_changes"),
    )
    op.create_index("ix_changes_organization_id_number", "changes", ["organization_id", "number"])


def downgrade() -> None:
    for table in ("changes", "passages", "revisions", "documents", "indexes"):
        op.drop_table(table)

"""Questions counted by month."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "usage",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "month", name="pk_usage"),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name="fk_usage_organization_id_organizations",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    op.drop_table("usage")

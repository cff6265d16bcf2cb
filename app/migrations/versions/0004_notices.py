"""When somebody with an account was last written to because of a sign-up."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("email", name="pk_notices"),
    )


def downgrade() -> None:
    op.drop_table("notices")

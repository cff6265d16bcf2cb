"""Passages taken apart when they come in; those that are there are taken apart when they are found."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("passages", sa.Column("pieces", sa.LargeBinary()))


def downgrade() -> None:
    op.drop_column("passages", "pieces")

"""What a document's passages were cut by, to notice when that has changed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("documents", sa.Column("splitter", sa.String(40)))
    op.execute("UPDATE documents SET splitter = '112/0' WHERE current_revision IS NOT NULL")


def downgrade() -> None:
    op.drop_column("documents", "splitter")

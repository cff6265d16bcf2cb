"""How the service's tables came to be what they are."""

from pathlib import Path

from app.models import metadata
from pipelines.store import migrate as migrations
from pipelines.store.database import Database

FOLDER = Path(__file__).parent
VERSION_TABLE = "alembic_version_app"


async def migrate(database: Database) -> None:
    """Brings the service's tables up to date."""
    await migrations.migrate(database, FOLDER, VERSION_TABLE, metadata)

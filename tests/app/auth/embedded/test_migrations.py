"""The migrations and the models say the same."""

from sqlalchemy import inspect
from sqlalchemy.ext.asyncio import AsyncEngine

from app.auth.embedded import Database, migrate
from app.auth.embedded.migrate import alembic


async def test_migrations_make_the_models(engine: AsyncEngine) -> None:
    """After an upgrade Alembic finds nothing left to do; a second upgrade does nothing."""
    for _ in range(2):
        await migrate(Database(engine))
    async with engine.begin() as connection:
        await connection.run_sync(alembic, "check")


async def test_down_and_up_again(engine: AsyncEngine) -> None:
    """A downgrade leaves none of the tables, and an upgrade brings them back."""
    await migrate(Database(engine))
    async with engine.begin() as connection:
        await connection.run_sync(alembic, "downgrade", "base")
        left = await connection.run_sync(lambda c: inspect(c).get_table_names())
    assert [name for name in left if name.startswith("identity_")] == []
    await migrate(Database(engine))

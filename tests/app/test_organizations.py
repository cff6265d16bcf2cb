"""Organizations, and the service's own tables."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from app import migrations
from app.identifiers import new_id
from app.models import metadata
from app.organizations import service
from app.organizations.service import Organization, OrganizationNotFound
from pipelines.knowledge import KnowledgeBase
from pipelines.store.migrate import run
from tests.databases import BOTH

DATABASES = BOTH


async def test_created_organizations_are_listed(organization: Organization, knowledge: KnowledgeBase) -> None:
    """Organizations are free unless said otherwise, and listed oldest first."""
    second = await service.create_organization(knowledge.database, " Second ", "pro")
    assert (organization.plan, second.plan, second.name) == ("free", "pro", "Second")
    assert await service.list_organizations(knowledge.database) == [organization, second]
    assert await service.get_organization(knowledge.database, second.id) == second


async def test_plans_change(organization: Organization, knowledge: KnowledgeBase) -> None:
    """A plan is changed to one that exists, of an organization that exists."""
    assert (await service.set_plan(knowledge.database, organization.id, "enterprise")).plan == "enterprise"
    with pytest.raises(ValueError, match="free, pro, enterprise"):
        await service.set_plan(knowledge.database, organization.id, "gold")
    for call in (
        service.set_plan(knowledge.database, new_id(), "pro"),
        service.get_organization(knowledge.database, new_id()),
    ):
        with pytest.raises(OrganizationNotFound):
            await call


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
async def test_names_that_cannot_be(organization: Organization, knowledge: KnowledgeBase, name: str) -> None:
    """A name has 1 to 200 characters."""
    with pytest.raises(ValueError, match="1 to 200"):
        await service.create_organization(knowledge.database, name)


async def test_migrations_make_the_tables(organization: Organization, knowledge: KnowledgeBase) -> None:
    """The migrations lead to the tables that the code knows, and back."""
    assert await knowledge.database.read(differences) == []
    await knowledge.database.write(run, migrations.FOLDER, migrations.VERSION_TABLE, metadata, "downgrade", "base")
    assert {change[0] for change in await knowledge.database.read(differences)} == {"add_table", "add_index"}
    await migrations.migrate(knowledge.database)
    assert await knowledge.database.read(differences) == []


def differences(connection: Connection) -> list[Any]:
    """What would have to change for the database to have the tables that the code knows."""
    options = {"include_name": lambda name, kind, _: kind != "table" or name in metadata.tables}
    context = MigrationContext.configure(connection, opts=options)
    return list(compare_metadata(context, metadata))

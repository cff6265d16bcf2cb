"""Alembic's way in: the connection, tables and version table come from `app.auth.embedded.migrate`."""

from alembic import context

options = context.config.attributes
context.configure(
    connection=options["connection"],
    target_metadata=options["tables"],
    version_table=options["version_table"],
    include_object=lambda item, name, kind, reflected, _: (
        not (kind == "table" and reflected and name not in options["tables"].tables)
    ),
    render_as_batch=options["connection"].dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()

"""The command line `kb`. What a command needs is imported when it is called: `kb --help` is instant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.refusals import RefusingGroup

app = typer.Typer(
    name="kb",
    help="A knowledge base that answers questions with verified citations.",
    cls=RefusingGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
admin = typer.Typer(help="Operate: organizations, people, API keys, indexes, backups.", no_args_is_help=True)
app.add_typer(admin, name="admin")

Json = Annotated[bool, typer.Option("--json", help="The result as one line of JSON.")]
Organization = Annotated[
    str | None, typer.Option("--organization", "-o", metavar="ID", help="By default the only one there is.")
]
OneOrganization = Annotated[str, typer.Argument(metavar="ORG", help="The organization's id.")]
AnyOrganization = Annotated[str | None, typer.Argument(metavar="[ORG]", help="By default all of them.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The backup's folder.")]
Config = Annotated[
    Path | None, typer.Option(metavar="FILE", help="TOML: how the pipeline is tuned; by default KB_CONFIG.")
]
Plan = Annotated[str, typer.Option(help="free, pro or enterprise.")]


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes; more than one needs KB_CHROMA_URL.")] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="With sample documents and a new API key.")] = False,
    config: Config = None,
) -> None:
    """Answer over HTTP."""
    from app.commands import serve as command

    command.run(host, port, workers, demo=demo, config=config)


@app.command()
def ingest(
    path: Annotated[Path, typer.Argument(help="A folder of .md, .txt, .html, .pdf files, one of them, or a .jsonl.")],
    organization: Organization = None,
    source: Annotated[str | None, typer.Option(help="The documents' source; by default the folder's name.")] = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Put documents in. Repeat it at will: what is unchanged is skipped."""
    from app.commands import ingest as command

    command.run(path, organization, source, config=config, as_json=as_json)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="In any language.")],
    organization: Organization = None,
    source: Annotated[list[str] | None, typer.Option(help="Only from this source; may be repeated.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer while it is composed.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Answer a question, with citations."""
    from app.commands import ask as command

    command.run(question, organization, source or [], stream=stream, config=config, as_json=as_json)


@admin.command("create-org")
def create_org(name: str, plan: Plan = "free", as_json: Json = False) -> None:
    """Create an organization; its id is the last line."""
    from app.commands import admin as command

    command.create_org(name, plan, as_json=as_json)


@admin.command("create-key")
def create_key(
    organization: OneOrganization,
    name: Annotated[str, typer.Option(help="To tell it from others.")] = "default",
    as_json: Json = False,
) -> None:
    """Create an API key; its secret is the last line and is shown only now."""
    from app.commands import admin as command

    command.create_key(organization, name, as_json=as_json)


@admin.command("set-plan")
def set_plan(organization: OneOrganization, plan: str, as_json: Json = False) -> None:
    """Move an organization to another plan."""
    from app.commands import admin as command

    command.set_plan(organization, plan, as_json=as_json)


@admin.command("list")
def list_organizations(as_json: Json = False) -> None:
    """List the organizations, oldest first."""
    from app.commands import admin as command

    command.list_organizations(as_json=as_json)


@admin.command()
def keys(organization: OneOrganization, as_json: Json = False) -> None:
    """List an organization's API keys, without their secrets."""
    from app.commands import admin as command

    command.keys(organization, as_json=as_json)


@admin.command()
def reindex(organization: OneOrganization, config: Config = None, as_json: Json = False) -> None:
    """Build an organization's indexes anew, as after a change of the embedding model."""
    from app.commands import indexes as command

    command.reindex(organization, config=config, as_json=as_json)


@admin.command()
def check(
    organization: AnyOrganization = None,
    repair: Annotated[bool, typer.Option("--repair", help="Make the indexes agree with the database.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Compare database, Chroma and lexical index; exit code 1 where they differ."""
    from app.commands import indexes as command

    command.check(organization, repair=repair, config=config, as_json=as_json)


@admin.command("delete-key")
def delete_key(key: Annotated[str, typer.Argument(metavar="KEY", help="The key's id.")], as_json: Json = False) -> None:
    """Delete an API key."""
    from app.commands import admin as command

    command.delete_key(key, as_json=as_json)


@admin.command()
def users(organization: AnyOrganization = None, as_json: Json = False) -> None:
    """List the people with their organizations and roles."""
    from app.commands import people as command

    command.users(organization, as_json=as_json)


@admin.command()
def audit(
    organization: AnyOrganization = None,
    limit: Annotated[int, typer.Option(min=1, help="So many entries at most.")] = 100,
    as_json: Json = False,
) -> None:
    """List what was done, newest first."""
    from app.commands import people as command

    command.show_audit(organization, limit, as_json=as_json)


@admin.command("identity-keys")
def identity_keys(as_json: Json = False) -> None:
    """Show the anon and the service key of the embedded identity server."""
    from app.commands import identity as command

    command.identity_keys(as_json=as_json)


@admin.command("rotate-keys")
def rotate_keys(as_json: Json = False) -> None:
    """Sign access tokens of the embedded identity server with a new key."""
    from app.commands import identity as command

    command.rotate_keys(as_json=as_json)


@admin.command("export-users")
def export_users() -> None:
    """Print the embedded identity server's accounts as JSON lines, for Supabase's admin API; with password hashes."""
    from app.commands import identity as command

    command.export_users()


@admin.command("check-identity")
def check_identity(as_json: Json = False) -> None:
    """Say what a Supabase project lacks for this service; exit code 1 if anything."""
    from app.commands import project as command

    command.check(as_json=as_json)


@admin.command()
def backup(folder: Folder, as_json: Json = False) -> None:
    """Copy the SQLite databases into a folder, beside a running server if need be."""
    from app.commands import backup as command

    command.backup(folder, as_json=as_json)


@admin.command()
def restore(folder: Folder, as_json: Json = False) -> None:
    """Put the SQLite databases of a backup back; what is there now is kept aside."""
    from app.commands import backup as command

    command.restore(folder, as_json=as_json)


def main() -> None:
    app()


if __name__ == "__main__":
    main()

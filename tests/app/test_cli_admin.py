"""`kb admin` for people, keys, accounts and backups, in a fresh folder."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import httpx
import jwt
import pytest
from click.testing import Result
from cryptography.hazmat.primitives.asymmetric import ec
from filelock import FileLock
from jwt.algorithms import ECAlgorithm

from app.auth.hosting import opened_embedded
from app.commands import project
from app.config import Settings
from app.members import repository as members
from pipelines.store.database import Database
from tests.app.conftest import Run
from tests.app.test_cli import as_json, last_line, organization

__all__ = ["organization"]

ADA = UUID("5f0c2b7e-64f0-4a53-9d1c-0c4f3f1f8a11")
EVE = UUID("6f0c2b7e-64f0-4a53-9d1c-0c4f3f1f8a11")
UNKNOWN = "01a1fe26-960b-7712-9597-303a6e9541fa"


@pytest.fixture
def data(run: Run, tmp_path: Path) -> Path:
    return tmp_path / "data"


def lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def add_people(data: Path, organization: str) -> None:
    """Ada belongs to the organization, Eve to nothing."""

    async def add() -> None:
        database, now = Database(f"sqlite:///{data / 'kb.sqlite3'}"), datetime.now(UTC)
        for user_id, email in ((ADA, "ada@example.com"), (EVE, "eve@example.com")):
            await database.write(members.add_user, user_id, email, now)
        await database.write(members.add_member, UUID(organization), ADA, "admin", now)
        await database.close()

    asyncio.run(add())


# --- people and what was done


def test_people_are_listed_with_their_roles(run: Run, organization: str, data: Path) -> None:
    """Everybody, also who belongs to nothing; or those of one organization."""
    assert "nobody" in run("admin", "users").stderr
    add_people(data, organization)
    listed = json.loads(run("admin", "users", "--json").stdout)
    assert [(one["id"], one["email"]) for one in listed] == [
        (str(ADA), "ada@example.com"),
        (str(EVE), "eve@example.com"),
    ]
    [its] = listed[0]["organizations"]
    assert (its["id"], its["name"], its["role"]) == (organization, "Acme", "admin")
    assert listed[1]["organizations"] == []
    assert [one["id"] for one in json.loads(run("admin", "users", organization, "--json").stdout)] == [str(ADA)]
    shown = run("admin", "users").stdout
    assert "ada@example.com" in shown
    assert "Acme" in shown


def test_what_an_operator_does_is_audited(run: Run, organization: str) -> None:
    """Newest first, for all organizations or one, and so many at most."""
    other = last_line(run("admin", "create-org", "Other"))
    secret = last_line(run("admin", "create-key", organization, "--name", "ci"))
    run("admin", "set-plan", other, "pro")
    entries = json.loads(run("admin", "audit", "--json").stdout)
    assert [(one["action"], one["actor"], one["organization_id"]) for one in entries] == [
        ("plan_changed", "operator", other),
        ("key_created", "operator", organization),
    ]
    [one] = json.loads(run("admin", "audit", organization, "--json").stdout)
    assert one == entries[1]
    assert json.loads(run("admin", "audit", "--limit", "1", "--json").stdout) == entries[:1]
    assert "name=ci" in run("admin", "audit").stdout
    assert secret not in run("admin", "audit").stdout


def test_texts_command_no_terminal(run: Run, organization: str, data: Path) -> None:
    """Control characters in people's texts, and what turns the order of text around, are shown as JSON escapes them."""
    name = "a\x1b[2J\nfake\r\x9b1m\u202e"
    run("admin", "create-key", organization, "--name", "ci")
    with closing(sqlite3.connect(data / "kb.sqlite3", isolation_level=None)) as database:
        database.execute("UPDATE api_keys SET name = ?", [name])
        database.execute("UPDATE organizations SET name = ?", [name])
        database.execute("UPDATE audit SET details = json_set(details, '$.name', ?)", [name])
    shown = r"a\u001b[2J\u000afake\u000d\u009b1m\u202e"
    assert shown in run("admin", "keys", organization).stdout
    assert f"name={shown}" in run("admin", "audit").stdout
    assert r"a\u001b[2J" in run("admin", "set-plan", organization, "pro").stdout
    printed = run("admin", "keys", organization, "--json").stdout
    assert [one["name"] for one in json.loads(printed)] == [name]
    assert shown.replace(r"\u000a", r"\n").replace(r"\u000d", r"\r") in printed


def test_without_anything_done_it_says_so(run: Run) -> None:
    """A note, and no result."""
    result = run("admin", "audit")
    assert (result.stdout, "Nothing" in result.stderr) == ("", True)


@pytest.mark.parametrize("command", ["list", "identity-keys"])
def test_the_data_folder_is_its_owners_alone(run: Run, data: Path, command: str) -> None:
    """Whichever of the databases comes first."""
    run("admin", command)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_a_key_is_deleted(run: Run, organization: str) -> None:
    """By its id, once."""
    made = as_json(run("admin", "create-key", organization, "--json"))
    gone = as_json(run("admin", "delete-key", made["id"], "--json"))
    assert gone == {name: value for name, value in made.items() if name != "secret"}
    run("admin", "delete-key", made["id"], code=1)
    assert json.loads(run("admin", "keys", organization, "--json").stdout) == []
    run("admin", "create-key", organization, "--name", "other")
    [other] = json.loads(run("admin", "keys", organization, "--json").stdout)
    assert "'other'" in run("admin", "delete-key", other["id"]).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("users", "nobody"),
        ("users", UNKNOWN),
        ("audit", "nobody"),
        ("delete-key", "nonsense"),
        ("delete-key", UNKNOWN),
        ("backup", "{folder}"),
        ("restore", "{folder}"),
        ("check-identity",),
    ],
)
def test_a_refusal_is_one_sentence(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """On stderr, with exit code 1 and no stack."""
    result = run("admin", *(one.format(folder=tmp_path / "nothing") for one in arguments), code=1)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert isinstance(result.exception, SystemExit)


# --- accounts of the embedded identity server


def sign_up(settings: Settings, email: str) -> None:
    async def signed_up() -> None:
        async with opened_embedded(settings) as (identity, http, _):
            key = identity.keys.api_key("service_role")
            response = await http.post(
                "http://localhost:8000/auth/v1/admin/users",
                json={"email": email, "password": "correct horse", "email_confirm": True},
                headers={"Authorization": f"Bearer {key}", "apikey": key},
            )
            assert response.status_code == 200, response.text

    asyncio.run(signed_up())


def test_the_identity_servers_keys_are_shown(run: Run) -> None:
    """The anon and the service key, the same each time."""
    shown = run("admin", "identity-keys").stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["anon", "service"]
    keys = as_json(run("admin", "identity-keys", "--json"))
    assert [f"{name} {key}" for name, key in keys.items()] == shown
    roles = [jwt.decode(str(key), options={"verify_signature": False})["role"] for key in keys.values()]
    assert roles == ["anon", "service_role"]


def test_keys_rotate(run: Run) -> None:
    """Tokens have another key from then on; the anon and service keys stay; it is audited."""
    before = run("admin", "identity-keys").stdout
    first, second = (as_json(run("admin", "rotate-keys", "--json"))["key"] for _ in range(2))
    assert first != second
    assert "signed" in run("admin", "rotate-keys").stdout
    assert run("admin", "identity-keys").stdout == before
    assert len(json.loads(run("admin", "audit", "--json").stdout)) == 3


def test_accounts_are_exported(run: Run, data: Path) -> None:
    """A line each, as Supabase's admin API takes them, with the hash of the password."""
    settings = Settings(data_dir=data, _env_file=None)
    for email in ("ada@example.com", "eve@example.com"):
        sign_up(settings, email)
    exported = lines(run("admin", "export-users"))
    assert [one["email"] for one in exported] == ["ada@example.com", "eve@example.com"]
    assert all(str(one["password_hash"]).startswith("$argon2id$") for one in exported)


@pytest.mark.parametrize("command", ["identity-keys", "rotate-keys", "export-users"])
def test_a_project_outside_keeps_its_own_accounts(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """With SUPABASE_URL these commands are refused."""
    supabase(monkeypatch)
    assert "SUPABASE_URL" in run("admin", command, code=1).stderr


# --- a Supabase project's settings

GOOD = {"external": {"email": True, "google": False}, "disable_signup": False, "mailer_autoconfirm": False}


def jwks() -> dict[str, object]:
    public = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
    return {"keys": [{**public, "kid": "one", "alg": "ES256", "use": "sig"}]}


def supabase(monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    named = {"SUPABASE_URL": "https://abc.supabase.co", "SUPABASE_ANON_KEY": "a", "SUPABASE_SERVICE_ROLE_KEY": "s"}
    for name, value in {**named, **more}.items():
        monkeypatch.setenv(name, value)


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[httpx.Request], httpx.Response]) -> None:
    monkeypatch.setattr(project, "client", lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))


def of_project(
    settings: object = GOOD, keys: object = None, statuses: dict[str, int] | None = None
) -> Callable[..., httpx.Response]:
    """A project's answers by the end of their path."""
    bodies = {"settings": settings, "jwks.json": jwks() if keys is None else keys, "users": {"users": []}}

    def answer(request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        return httpx.Response((statuses or {}).get(name, 200), json=bodies[name])

    return answer


def test_a_project_that_lacks_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No finding and exit code 0; what cannot be seen is told beside it."""
    supabase(monkeypatch)
    answering(monkeypatch, of_project())
    result = run("admin", "check-identity")
    assert result.stdout == ""
    assert "/auth/confirm?token_hash={{ .TokenHash }}" in result.stderr
    assert json.loads(run("admin", "check-identity", "--json").stdout) == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (of_project({**GOOD, "external": {"email": False}}), "e-mail provider is off"),
        (of_project({**GOOD, "disable_signup": True}), "Sign-ups are off"),
        (of_project({**GOOD, "mailer_autoconfirm": True}), "not confirmed"),
        (of_project(keys={"keys": []}), "SUPABASE_JWT_SECRET"),
        (of_project(statuses={"settings": 401}), "SUPABASE_ANON_KEY"),
        (of_project(statuses={"users": 403}), "SUPABASE_SERVICE_ROLE_KEY"),
        (of_project(statuses={"settings": 500}), "HTTPStatusError"),
        (of_project(settings=[]), "ValueError"),
        (of_project(keys=[]), "ValueError"),
    ],
)
def test_what_a_project_lacks(
    run: Run, monkeypatch: pytest.MonkeyPatch, answer: Callable[[httpx.Request], httpx.Response], told: str
) -> None:
    """Each finding is a line, and the exit code 1."""
    supabase(monkeypatch)
    answering(monkeypatch, answer)
    [line] = run("admin", "check-identity", code=1).stdout.splitlines()
    assert told in line


def test_a_project_that_signs_with_a_shared_secret(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No published key is needed where the secret is known; an address without TLS is a finding."""
    supabase(monkeypatch, SUPABASE_JWT_SECRET="x" * 40, SUPABASE_URL="http://supabase.example.com")
    answering(monkeypatch, of_project(keys={"keys": []}))
    [line] = run("admin", "check-identity", code=1).stdout.splitlines()
    assert "not https" in line


def test_a_project_that_cannot_be_reached(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding, no stack."""
    supabase(monkeypatch, SUPABASE_URL="http://127.0.0.1:1")
    [line] = run("admin", "check-identity", code=1).stdout.splitlines()
    assert "ConnectError" in line


# --- backup and restore


@pytest.fixture
def filled(run: Run, organization: str, data: Path, tmp_path: Path) -> Path:
    """A knowledge base with one document and one account."""
    page = tmp_path / "heron.txt"
    page.write_text("The blue heron nests by the river.")
    run("ingest", page)
    sign_up(Settings(data_dir=data, _env_file=None), "ada@example.com")
    return data


def cited(run: Run, question: str) -> list[object]:
    citations = as_json(run("ask", question, "--json"))["citations"]
    assert isinstance(citations, list)
    return citations


def test_a_backup_is_restored(run: Run, filled: Path, tmp_path: Path) -> None:
    """All is as it was: documents are found though the indexes knew later ones, accounts are there, nothing is lost."""
    backup = tmp_path / "backup"
    files = as_json(run("admin", "backup", backup, "--json"))["files"]
    assert set(files) == {"kb.sqlite3", "identity.sqlite3"}  # type: ignore[call-overload]
    assert stat.S_IMODE((backup / "identity.sqlite3").stat().st_mode) == 0o600
    (tmp_path / "gull.txt").write_text("The grey gull sleeps on the lighthouse.")
    run("ingest", tmp_path / "gull.txt")
    sign_up(Settings(data_dir=filled, _env_file=None), "eve@example.com")
    assert cited(run, "Where does the grey gull sleep?")
    result = run("admin", "restore", backup)
    assert "Restored" in result.stdout
    assert cited(run, "Where does the grey gull sleep?") == []
    assert cited(run, "Where does the blue heron nest?")
    assert [one["email"] for one in lines(run("admin", "export-users"))] == ["ada@example.com"]
    run("admin", "check")
    run("ingest", tmp_path / "gull.txt")
    assert cited(run, "Where does the grey gull sleep?")
    [aside] = filled.glob("before-restore-*")
    assert {"kb.sqlite3", "identity.sqlite3"} <= {path.name for path in aside.iterdir()}
    assert str(aside) in result.stderr


def test_a_backup_moves_to_another_machine(
    run: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into a folder that is not there yet."""
    run("admin", "backup", tmp_path / "backup")
    monkeypatch.setenv("KB_DATA_DIR", str(tmp_path / "elsewhere"))
    result = run("admin", "restore", tmp_path / "backup")
    assert result.stderr == ""
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o700
    assert cited(run, "Where does the blue heron nest?")


def test_a_backup_is_not_overwritten(run: Run, filled: Path, tmp_path: Path) -> None:
    """A second one needs another folder."""
    run("admin", "backup", tmp_path / "backup")
    assert "already" in run("admin", "backup", tmp_path / "backup", code=1).stderr


def test_a_damaged_backup_changes_nothing(run: Run, filled: Path, tmp_path: Path) -> None:
    """It is found out before anything is replaced."""
    backup = tmp_path / "backup"
    run("admin", "backup", backup)
    (backup / "identity.sqlite3").write_bytes(b"no database" * 1000)
    assert "identity.sqlite3" in run("admin", "restore", backup, code=1).stderr
    assert cited(run, "Where does the blue heron nest?")
    assert not list(filled.glob("before-restore-*"))


def test_a_server_has_to_stop_for_a_restore(run: Run, filled: Path, tmp_path: Path) -> None:
    """While one runs in the folder nothing is restored; backing up goes on."""
    with FileLock(filled / "index.lock"):
        run("admin", "backup", tmp_path / "backup")
        assert "stop it first" in run("admin", "restore", tmp_path / "backup", code=1).stderr


def test_a_backup_has_what_is_committed(run: Run, organization: str, data: Path, tmp_path: Path) -> None:
    """Also what is only in the log of a database that is in use, and not what is in the middle of being written."""
    with closing(sqlite3.connect(data / "kb.sqlite3", isolation_level=None)) as writing:
        writing.execute("UPDATE organizations SET name = 'Committed'")
        writing.execute("BEGIN IMMEDIATE")
        writing.execute("UPDATE organizations SET name = 'Half'")
        run("admin", "backup", tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup" / "kb.sqlite3")) as copy:
        assert copy.execute("SELECT name FROM organizations").fetchall() == [("Committed",)]


def test_postgresql_has_its_own_tools(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A sentence says which, without the database's password."""
    monkeypatch.setenv("KB_DATABASE_URL", "postgresql://kb:hidden@db/kb")
    for command in ("backup", "restore"):
        told = run("admin", command, tmp_path, code=1).stderr
        assert "pg_dump" in told
        assert "hidden" not in told

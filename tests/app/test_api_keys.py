"""API keys: their secrets, how they open the service, and how they end."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi import FastAPI

from app import read_through
from app.api_keys import repository, service
from app.api_keys.lookup import KeyLookup
from app.api_keys.secret import ALPHABET, LENGTH, is_well_formed, new_secret
from app.organizations.service import Organization, OrganizationNotFound
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import calling
from tests.databases import BOTH

DATABASES = BOTH
DOCUMENTS = "/api/documents"


def test_secrets_check_themselves() -> None:
    """A secret has 49 characters, and any one of them changed makes it no secret."""
    secret = new_secret()
    assert len(secret) == LENGTH == 49
    assert secret.startswith("kb_")
    assert set(secret[3:]) <= set(ALPHABET)
    assert is_well_formed(secret)
    for position in range(LENGTH):
        other = "x" if secret[position] != "x" else "y"
        assert not is_well_formed(secret[:position] + other + secret[position + 1 :])
    assert not is_well_formed(secret + "x")
    assert not is_well_formed("kb_" + "ü" * 46)


@pytest.mark.parametrize(
    "headers",
    [
        lambda secret: {"X-API-Key": secret},
        lambda secret: {"Authorization": f"Bearer {secret}"},
        lambda secret: {"Authorization": f"bearer {secret}"},
        lambda secret: {"X-API-Key": secret, "Authorization": "Bearer nonsense"},
    ],
)
async def test_good_credentials(
    anonymous: httpx.AsyncClient, secret: str, headers: Callable[[str], dict[str, str]]
) -> None:
    """A key opens the service in either header."""
    assert (await anonymous.get(DOCUMENTS, headers=headers(secret))).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        lambda _: {},
        lambda secret: {"X-API-Key": "nonsense", "Authorization": f"Bearer {secret}"},
        lambda secret: {"X-API-Key": "", "Authorization": f"Bearer {secret}"},
        lambda _: {"X-API-Key": new_secret()},
        lambda _: {"X-API-Key": "ü".encode()},
        lambda secret: {"Authorization": secret},
        lambda secret: {"Authorization": f"Basic {secret}"},
        lambda _: {"Authorization": "Bearer"},
        lambda _: {"Authorization": "Bearer "},
        lambda _: {"Authorization": "Bearer a.b.c"},
    ],
)
async def test_bad_credentials(
    anonymous: httpx.AsyncClient, secret: str, headers: Callable[[str], dict[str, str]]
) -> None:
    """Missing, malformed and unknown credentials are 401; X-API-Key decides."""
    response = await anonymous.get(DOCUMENTS, headers=headers(secret))
    assert (response.status_code, response.json()["code"]) == (401, "UNAUTHORIZED")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_mistyped_keys_do_not_reach_the_database(
    anonymous: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checksum tells a mistyped key apart before any look-up."""
    monkeypatch.setattr(repository, "by_fingerprint", None)
    assert (await anonymous.get(DOCUMENTS, headers={"X-API-Key": new_secret()[:-1] + "!"})).status_code == 401


async def test_expired_keys(app: FastAPI, organization: Organization, knowledge: KnowledgeBase) -> None:
    """A key ends at its moment, even while it is remembered."""
    soon = datetime.now(UTC) + timedelta(seconds=0.3)
    _, secret = await service.create_key(knowledge.database, organization.id, "short", expires_at=soon)
    async with calling(app, secret) as client:
        assert (await client.get(DOCUMENTS)).status_code == 200
        await asyncio.sleep(0.35)
        assert (await client.get(DOCUMENTS)).status_code == 401


@pytest.mark.parametrize(
    "revoke",
    [
        lambda database, key: database.write(service.delete_any_key, key.id),
        lambda database, key: service.revoke_named(database, key.organization_id, key.name),
    ],
)
async def test_revoked_keys(
    organization: Organization,
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    revoke: Callable[..., Awaitable[object]],
) -> None:
    """A revoked key opens nothing once what was remembered of it is too old."""
    keys = KeyLookup(knowledge.database)
    key, secret = await service.create_key(knowledge.database, organization.id, "gone")
    assert await keys.find(secret) == key
    assert await revoke(knowledge.database, key)
    assert read_through.KEPT <= 5
    monkeypatch.setattr(read_through, "KEPT", 0)
    assert await keys.find(secret) is None
    await keys.close()


async def test_keys_are_remembered_for_a_moment(
    organization: Organization, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second use of a key costs no look-up, unless it was forgotten."""
    keys = KeyLookup(knowledge.database)
    key, secret = await service.create_key(knowledge.database, organization.id, "one")
    assert await keys.find(secret) == key
    await knowledge.database.write(service.delete_any_key, key.id)
    assert await keys.find(secret) == key
    keys.forget()
    assert await keys.find(secret) is None
    await keys.close()


async def test_use_is_noted_once_a_minute(organization: Organization, knowledge: KnowledgeBase) -> None:
    """The last use is written down beside the request, and not again within the minute."""
    keys = KeyLookup(knowledge.database)
    _, secret = await service.create_key(knowledge.database, organization.id, "used")
    await keys.find(secret)
    await keys.close()
    [first] = await service.list_keys(knowledge.database, organization.id)
    assert first.last_used_at is not None
    await keys.find(secret)
    await keys.close()
    assert await service.list_keys(knowledge.database, organization.id) == [first]


async def test_secrets_are_not_stored(organization: Organization, knowledge: KnowledgeBase) -> None:
    """Only a digest and the first characters of a secret are kept."""
    key, secret = await service.create_key(knowledge.database, organization.id, " mine ")
    assert (key.name, key.prefix, key.role) == ("mine", secret[:11], "owner")
    assert await service.list_keys(knowledge.database, organization.id) == [key]
    assert secret not in repr(key)


async def test_keys_that_cannot_be(organization: Organization, knowledge: KnowledgeBase) -> None:
    """A key has a name and an organization that exists."""
    for name in ("", " ", "x" * 101, "a\x1b[2J"):
        with pytest.raises(ValueError, match="1 to 100"):
            await service.create_key(knowledge.database, organization.id, name)
    with pytest.raises(OrganizationNotFound):
        await service.create_key(knowledge.database, service.new_id(), "x")

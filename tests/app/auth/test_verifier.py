"""Access tokens: what is taken for one, and what is not."""

import asyncio
import hashlib
import hmac
import json
import time
import uuid
from typing import Any

import jwt
import pytest

from app.auth.jwks import FRESH, Jwks
from app.auth.verifier import LEEWAY, TokenVerifier
from app.errors import Unauthorized
from pipelines.lru_cache import LruCache
from tests.app.auth.signing import (
    EC_KEY,
    ISSUER,
    OTHER_EC_KEY,
    RSA_KEY,
    SECRET,
    Clock,
    Published,
    claims,
    der_of,
    forged,
    jwk_of,
    pem_of,
    signed,
)

NOW = int(time.time())


@pytest.fixture
def published() -> Published:
    return Published(jwk_of(EC_KEY, "ec"), jwk_of(RSA_KEY, "rsa"))


@pytest.fixture
def verifier(published: Published) -> TokenVerifier:
    return TokenVerifier(Jwks(published.client(), f"{ISSUER}/.well-known/jwks.json"), ISSUER)


@pytest.fixture
def legacy(published: Published) -> TokenVerifier:
    return TokenVerifier(Jwks(published.client(), f"{ISSUER}/.well-known/jwks.json"), ISSUER, SECRET)


async def refuses(verifier: TokenVerifier, token: str) -> None:
    with pytest.raises(Unauthorized):
        await verifier.verify(token)


async def test_a_good_token(verifier: TokenVerifier) -> None:
    """Its person, session and times are what it says; of the metadata only the label is read."""
    user_id, session_id = uuid.uuid4(), uuid.uuid4()
    label = {"organization_name": "  Lake watchers ", "role": "admin"}
    for key, algorithm, key_id in ((EC_KEY, "ES256", "ec"), (RSA_KEY, "RS256", "rsa")):
        token = signed(key, algorithm, key_id, sub=str(user_id), session_id=str(session_id), user_metadata=label)
        person = await verifier.verify(token)
        assert (person.user_id, person.session_id, person.email) == (user_id, session_id, "ann@example.com")
        assert (person.organization_name, person.token) == ("Lake watchers", token)
        assert (person.expires_at - person.issued_at).total_seconds() == 3600


@pytest.mark.parametrize("metadata", [None, [], "x", {}, {"organization_name": 5}, {"organization_name": " "},
                                      {"organization_name": "a" * 201}, {"organization_name": ["x"]}])  # fmt: skip
async def test_a_label_that_is_none(verifier: TokenVerifier, metadata: Any) -> None:
    """34: what people write into their metadata breaks nothing."""
    assert (await verifier.verify(signed(user_metadata=metadata))).organization_name is None


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "", None, 5])
async def test_without_a_signature(verifier: TokenVerifier, legacy: TokenVerifier, algorithm: Any) -> None:
    """1: an unsigned token is none, however it spells that."""
    for header in ({"alg": algorithm}, {"alg": algorithm, "kid": "ec"}):
        for one in (verifier, legacy):
            await refuses(one, forged(header, claims()))


@pytest.mark.parametrize("key_id", ["ec", "rsa"])
async def test_a_public_key_as_a_secret(verifier: TokenVerifier, legacy: TokenVerifier, key_id: str) -> None:
    """2: what is published signs nothing, in none of its forms."""
    key = {"ec": EC_KEY, "rsa": RSA_KEY}[key_id]
    jwk = jwk_of(key, key_id)
    for secret in (
        pem_of(key),
        pem_of(key).strip(),
        der_of(key),
        json.dumps(jwk).encode(),
        json.dumps(jwk["kid"]).encode(),
    ):
        header, payload = {"alg": "HS256", "kid": key_id, "typ": "JWT"}, claims()
        unsigned = forged(header, payload).rpartition(".")[0]
        signature = hmac.new(secret, unsigned.encode(), hashlib.sha256).digest()
        for one in (verifier, legacy):
            await refuses(one, forged(header, payload, signature))


async def test_the_secret_of_a_legacy_project(verifier: TokenVerifier, legacy: TokenVerifier) -> None:
    """3: HS256 counts where its secret is set, and nowhere else."""
    for key_id in (None, "legacy"):
        token = signed(SECRET, "HS256", key_id)
        assert (await legacy.verify(token)).email == "ann@example.com"
        await refuses(verifier, token)
    await refuses(legacy, signed("another secret of at least thirty-two bytes", "HS256", None))


async def test_another_kind_of_key(verifier: TokenVerifier) -> None:
    """4: the key decides about the algorithm, not the token."""
    for algorithm, key_id in (("RS256", "ec"), ("ES256", "rsa"), ("PS256", "rsa"), ("RS512", "rsa"), ("ES512", "ec")):
        await refuses(verifier, forged({"alg": algorithm, "kid": key_id}, claims(), b"x" * 64))
    await refuses(verifier, signed(RSA_KEY, "RS256", "ec"))
    await refuses(verifier, signed(EC_KEY, "ES256", "rsa"))
    await refuses(verifier, signed(RSA_KEY, "RS512", "rsa"))
    await refuses(verifier, signed(RSA_KEY, "PS256", "rsa"))


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c", "crit"])
async def test_a_token_that_brings_its_key(verifier: TokenVerifier, published: Published, name: str) -> None:
    """5: it is refused, and nothing is fetched for it."""
    value: Any = {
        "jwk": jwk_of(OTHER_EC_KEY, "ec"), "jku": "http://evil.example/", "x5u": "http://evil.example/", "x5c": ["x"],
        "crit": ["exp"],
    }[name]  # fmt: skip
    for key in (EC_KEY, OTHER_EC_KEY):
        await refuses(verifier, signed(key, headers={name: value}))
    assert published.asked == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "anon"}, {"aud": ["anon", "other"]}, {"aud": None}, {"aud": ""}, {"aud": 5},
        {"iss": "https://other.supabase.test/auth/v1"}, {"iss": f"{ISSUER}/"}, {"iss": ISSUER.replace("https", "http")},
        {"iss": None}, {"iss": ""}, {"iss": 5},
        {"exp": NOW - 60}, {"exp": None}, {"exp": str(NOW + 3600)}, {"exp": "soon"}, {"exp": 1e400}, {"exp": -1},
        {"iat": NOW + 80_000, "exp": NOW + 83_000},
        {"iat": None}, {"iat": "then"}, {"nbf": NOW + 80_000}, {"exp": NOW + 10**9},
        {"iat": 0, "exp": NOW + 60}, {"iat": NOW + 5, "exp": NOW + 5},
        {"sub": None}, {"sub": ""}, {"sub": "ann"}, {"sub": 5}, {"sub": [str(uuid.uuid4())]},
        {"session_id": None}, {"session_id": ""}, {"session_id": "x"}, {"session_id": 5},
        {"role": None}, {"role": "anon"}, {"role": "service_role"}, {"role": ["authenticated"]},
        {"is_anonymous": True}, {"is_anonymous": "false"}, {"is_anonymous": 1}, {"client_id": "an-app"},
    ],
)  # fmt: skip
async def test_claims_that_do_not_fit(verifier: TokenVerifier, changes: dict[str, Any]) -> None:
    """6, 7, 8, 10, 11: audience, issuer, times, person, session and role have to be what they are to be."""
    if changes.get("exp") == 1e400:
        await refuses(verifier, forged({"alg": "ES256", "kid": "ec"}, claims(), b"x" * 64))
        return
    await refuses(verifier, signed_by_hand(changes))


def signed_by_hand(changes: dict[str, Any]) -> str:
    """Whatever the claims are: a library would refuse to sign some of them."""
    return jwt.api_jws.encode(json.dumps(claims(**changes)).encode(), EC_KEY, "ES256", {"kid": "ec", "typ": "JWT"})


async def test_an_audience_among_others(verifier: TokenVerifier) -> None:
    """6: a list that has ours is good."""
    assert await verifier.verify(signed(aud=["other", "authenticated"]))


async def test_clocks_that_differ(verifier: TokenVerifier) -> None:
    """8: by a few seconds they may."""
    assert await verifier.verify(signed(iat=int(time.time()) + 5))


async def test_keys_of_the_project_as_tokens(legacy: TokenVerifier) -> None:
    """9: the anon key and the service key are nobody's tokens."""
    for role in ("anon", "service_role"):
        token = jwt.encode({"iss": "supabase", "role": role, "iat": NOW, "exp": NOW + 3600}, SECRET, "HS256")
        await refuses(legacy, token)
    await refuses(legacy, "sb_secret_abcdefghijklmnop")
    await refuses(legacy, "sb_publishable_abcdefghijklmnop")


async def test_another_persons_token(verifier: TokenVerifier) -> None:
    """10: a changed person breaks the signature."""
    one, other = signed().split("."), signed().split(".")
    await refuses(verifier, ".".join([one[0], other[1], one[2]]))
    await refuses(verifier, signed(OTHER_EC_KEY))


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b", "a.b.c", "a.b.c.d", "é.é.é", "====.====.====", "e30.e30.", "bnVsbA.bnVsbA.", "W10.W10.W10",
     "\x00", " ", "a" * 8193, f"{'a' * 5000}.{'b' * 5000}.c", "eyJhbGciOiJFUzI1NiIsImtpZCI6bnVsbH0.e30.AAAA"],
)  # fmt: skip
async def test_what_is_no_token(verifier: TokenVerifier, published: Published, token: str) -> None:
    """16: it is refused at once, and no key is fetched for it."""
    await refuses(verifier, token)
    assert published.asked <= 1


async def test_a_token_that_is_too_long(verifier: TokenVerifier, published: Published) -> None:
    """16: a good signature does not help it."""
    await refuses(verifier, signed(user_metadata={"x": "a" * 8192}))
    assert published.asked == 0


async def test_a_signature_is_looked_at_once(published: Published) -> None:
    """A token that was good is so without looking again, until the keys are fetched anew."""
    clock = Clock()
    verifier = TokenVerifier(Jwks(published.client(), "https://keys.test/", clock), ISSUER, SECRET)
    for token in (signed(), signed(SECRET, "HS256", None)):
        assert await verifier.verify(token) is await verifier.verify(token)
    token = signed()
    person = await verifier.verify(token)
    clock.now += FRESH
    again = await verifier.verify(token)
    assert again == person
    assert again is not person


async def test_a_key_that_was_withdrawn(published: Published) -> None:
    """What it signed is refused once that is known, although it was good before."""
    clock, token = Clock(), signed()
    verifier = TokenVerifier(Jwks(published.client(), "https://keys.test/", clock), ISSUER)
    assert await verifier.verify(token)
    published.keys = [jwk_of(OTHER_EC_KEY, "ec")]
    clock.now += FRESH
    await refuses(verifier, token)


async def test_a_token_that_was_good_expires(verifier: TokenVerifier) -> None:
    token = signed(iat=NOW - 3600, exp=int(time.time()) - LEEWAY + 1)
    assert await verifier.verify(token)
    await asyncio.sleep(1.1)
    await refuses(verifier, token)


async def test_not_all_tokens_are_kept(verifier: TokenVerifier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who logs in again and again does not fill the memory; what is dropped is verified again."""
    monkeypatch.setattr(verifier, "_verified", LruCache(2))
    tokens = [signed() for _ in range(3)]
    people = [await verifier.verify(token) for token in tokens]
    assert len(verifier._verified) == 2
    assert [await verifier.verify(token) for token in tokens] == people

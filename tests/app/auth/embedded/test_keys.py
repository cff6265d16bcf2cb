"""Signing keys, their rotation, and tokens that were not ours."""

import base64
import json
import stat
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm

from app.auth.embedded import open_engine

from .house import Builder, House, Json, good, refused


async def published(house: House) -> list[Json]:
    answer = await house.call("GET", "/.well-known/jwks.json")
    assert answer.headers["cache-control"] == "public, max-age=600"
    keys: list[Json] = good(answer)["keys"]
    return keys


async def test_published_keys_verify_tokens(house: House) -> None:
    """A token's kid names a published ES256 key, which verifies it; nothing private is published."""
    session = await house.member()
    header = jwt.get_unverified_header(session["access_token"])
    (key,) = await published(house)
    assert (header["kid"], header["alg"], header["typ"]) == (key["kid"], "ES256", "JWT")
    assert set(key) == {"kty", "crv", "x", "y", "kid", "alg", "use", "key_ops"}
    jwt.decode(session["access_token"], jwt.PyJWK(key), algorithms=["ES256"], audience="authenticated")


async def test_keys_survive_a_restart(build: Builder) -> None:
    """A second process over the same database signs with the same keys and knows the same API keys."""
    one, two = await build(), await build()
    session = await one.member()
    good(await two.user(session))
    assert (one.anon, one.service) == (two.anon, two.service)


async def test_rotation(build: Builder) -> None:
    """After a rotation new tokens carry the new key, old ones stay good until they expire, then the key goes."""
    house, other = await build(), await build()
    session = await house.member()
    old = jwt.get_unverified_header(session["access_token"])["kid"]
    new = await house.identity.keys.rotate()
    assert {key["kid"] for key in await published(house)} == {old, new}
    fresh = good(await house.refresh(session["refresh_token"]))
    assert jwt.get_unverified_header(fresh["access_token"])["kid"] == new
    good(await house.user(session))
    other.clock.advance(6)
    good(await other.user(fresh))
    house.clock.advance(3600 + 901)
    assert {key["kid"] for key in await published(house)} == {new}
    good(await house.admin("GET", "/admin/users"))


async def test_expired_token(house: House) -> None:
    """An hour later an access token is no longer good."""
    session = await house.member()
    house.clock.advance(3601)
    assert refused(await house.user(session)) == (403, "bad_jwt")


def unsigned(header: Json, claims: Json, signature: str = "") -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in (header, claims)]
    return ".".join([*parts, signature])


async def test_algorithm_none(house: House) -> None:
    """A token without a signature is refused, however `none` is spelt."""
    session = await house.member()
    claims = jwt.decode(session["access_token"], options={"verify_signature": False})
    for algorithm in ("none", "None", "nOnE"):
        forged = unsigned({"alg": algorithm, "typ": "JWT"}, claims)
        assert refused(await house.call("GET", "/user", bearer=forged)) == (403, "bad_jwt")


async def test_public_key_as_a_secret(house: House) -> None:
    """HS256 with the public key as secret is refused."""
    session = await house.member()
    (key,) = await published(house)
    public: Any = ECAlgorithm.from_jwk(key)
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(session["access_token"], options={"verify_signature": False})
    signer = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    for secret in (pem, der, json.dumps(key).encode()):
        head = unsigned({"alg": "HS256", "typ": "JWT", "kid": key["kid"]}, claims).rstrip(".")
        forged = f"{head}.{base64.urlsafe_b64encode(signer.sign(head.encode(), secret)).rstrip(b'=').decode()}"
        assert refused(await house.call("GET", "/user", bearer=forged)) == (403, "bad_jwt")


async def test_foreign_key(house: House) -> None:
    """A key that comes with the token, or an unknown one, signs nothing; administrator or not."""
    session = await house.member()
    claims = jwt.decode(session["access_token"], options={"verify_signature": False}) | {"role": "service_role"}
    mine = ec.generate_private_key(ec.SECP256R1())
    kid = jwt.get_unverified_header(session["access_token"])["kid"]
    own = json.loads(ECAlgorithm.to_jwk(mine.public_key()))
    for headers in ({"kid": kid}, {"kid": "other"}, {"kid": kid, "jwk": own}, {"jku": "https://evil.example/k"}):
        forged = jwt.encode(claims, mine, algorithm="ES256", headers=headers)
        assert refused(await house.call("GET", "/user", bearer=forged)) == (403, "bad_jwt")
        assert refused(await house.call("GET", "/admin/users", bearer=forged)) == (403, "bad_jwt")


@pytest.mark.parametrize("token", ["x", "a.b", "a.b.c", "a.b.c.d", "x" * 9000, "e30.e30.e30", "....", "ey.ey.ey"])
async def test_malformed_tokens(house: House, token: str) -> None:
    """What is no token is a bad one, never a fault."""
    assert refused(await house.call("GET", "/user", bearer=token)) == (403, "bad_jwt")


@pytest.mark.parametrize("header", [None, "Basic eDp5", "Bearer", "Bearer ", "bearer"])
async def test_missing_bearer(house: House, header: str | None) -> None:
    """Without a bearer token the answer is 401."""
    headers = {"Authorization": header} if header else {}
    assert refused(await house.call("GET", "/user", headers=headers)) == (401, "no_authorization")


async def test_api_keys_are_no_people(house: House) -> None:
    """Neither the anon nor the service key is a person."""
    for key in (house.anon, house.service):
        assert refused(await house.call("GET", "/user", bearer=key)) == (403, "bad_jwt")


async def test_key_file_is_private(tmp_path: Path) -> None:
    """A SQLite file, which holds the private keys, is for its owner's eyes only."""
    path = tmp_path / "folder" / "identity.db"
    engine = open_engine(f"sqlite+aiosqlite:///{path}")
    async with engine.begin():
        pass
    await engine.dispose()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

"""The identity server's keys: fetched seldom, kept through an outage, dropped when they are gone."""

import asyncio
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from app.auth.jwks import FRESH, LARGEST, PAUSE, STALE, IdentityUnavailable, Jwks, usable
from tests.app.auth.signing import EC_KEY, ISSUER, OTHER_EC_KEY, RSA_KEY, Clock, Json, Published, jwk_of

DOWN = httpx.ConnectError("refused")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def published() -> Published:
    return Published(jwk_of(EC_KEY, "old"))


@pytest.fixture
def keys(published: Published, clock: Clock) -> Jwks:
    return Jwks(published.client(), f"{ISSUER}/.well-known/jwks.json", clock)


async def test_fetched_once(keys: Jwks, published: Published, clock: Clock) -> None:
    """However many ask at once; again after a while."""
    assert all(await asyncio.gather(*(keys.key("old") for _ in range(20))))
    assert published.asked == 1
    clock.now += FRESH
    assert await keys.key("old")
    assert published.asked == 2


async def test_unknown_keys(keys: Jwks, published: Published, clock: Clock) -> None:
    """12: a hundred tokens that name keys nobody knows make one fetch in half a minute."""
    assert await keys.key("old")
    for number in range(100):
        clock.now += 0.29
        assert await keys.key(f"unknown-{number}") is None
    assert published.asked <= 2


async def test_rotation(keys: Jwks, published: Published, clock: Clock) -> None:
    """13: a new key counts after one fetch, an old one until it is gone from the set."""
    assert await keys.key("old")
    published.keys.append(jwk_of(OTHER_EC_KEY, "new"))
    clock.now += PAUSE
    assert await keys.key("new")
    assert published.asked == 2
    assert await keys.key("old")
    published.keys.pop(0)
    clock.now += FRESH
    assert await keys.key("old") is None
    assert await keys.key("new")


async def test_an_outage(keys: Jwks, published: Published, clock: Clock) -> None:
    """14: a key that was known stays good for a day, an unknown one is unknown; then there is nothing to go by."""
    assert await keys.key("old")
    published.answer = DOWN
    clock.now += FRESH
    assert await keys.key("old")
    assert await keys.key("unknown") is None
    clock.now += STALE
    with pytest.raises(IdentityUnavailable):
        await keys.key("old")


async def test_never_fetched(keys: Jwks, published: Published) -> None:
    """14: without any keys it is not the token that is wrong, and the next one who asks tries again."""
    published.answer = DOWN
    for _ in range(2):
        with pytest.raises(IdentityUnavailable):
            await keys.key("old")
    assert published.asked == 2
    published.answer = None
    assert await keys.key("old")


NONSENSE: list[Any] = [
    httpx.Response(200, text="<html>Hello</html>"),
    httpx.Response(200, json=[]),
    httpx.Response(200, json={"keys": 5}),
    httpx.Response(200, content=b" " * (LARGEST + 1)),
    httpx.Response(200),
    httpx.Response(302, headers={"Location": "http://evil.example/"}),
    httpx.Response(500, json={"keys": []}),
    httpx.ReadTimeout("slow"),
]


@pytest.mark.parametrize("answer", NONSENSE)
async def test_nonsense(keys: Jwks, published: Published, clock: Clock, answer: Any) -> None:
    """15: what is no key set changes nothing, and redirects are not followed."""
    assert await keys.key("old")
    published.answer = answer
    clock.now += FRESH
    assert await keys.key("old")
    assert published.asked == 2


SMALL = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - refused for it
OTHER_CURVE = ec.generate_private_key(ec.SECP384R1())


@pytest.mark.parametrize(
    "jwk",
    [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "x", "alg": "HS256"},
        {**jwk_of(EC_KEY, "x"), "d": "AAAA"},
        {**jwk_of(EC_KEY, "x"), "use": "enc"},
        {**jwk_of(EC_KEY, "x"), "alg": "RS256"},
        {**jwk_of(RSA_KEY, "x"), "alg": "HS256"},
        {**jwk_of(EC_KEY, "x"), "x": "AAAA"},
        {**jwk_of(EC_KEY, "x"), "kid": 5},
        {name: value for name, value in jwk_of(EC_KEY, "x").items() if name != "kid"},
        jwk_of(SMALL, "x"),
        jwk_of(OTHER_CURVE, "x"),
        "nonsense",
        None,
    ],
)
def test_keys_that_are_of_no_use(jwk: Any) -> None:
    """15: secrets, private keys, weak ones and those for other things are left out; the others of the set are not."""
    assert set(usable({"keys": [jwk, jwk_of(EC_KEY, "good")]})) == {"good"}


def test_two_keys_of_one_name() -> None:
    """15: neither counts, for nobody could say which is meant."""
    twice: list[Json] = [jwk_of(EC_KEY, "x"), jwk_of(OTHER_EC_KEY, "x"), jwk_of(RSA_KEY, "good")]
    assert set(usable({"keys": twice})) == {"good"}

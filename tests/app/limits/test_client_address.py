"""Whose word counts for where a request comes from."""

import pytest
from starlette.requests import Request

from app.limits.client_address import TrustedProxies, bucket_of


def address(trusted: str, peer: str | None, *forwarded: str) -> str:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    scope = {"type": "http", "headers": headers, "client": (peer, 1) if peer else None}
    return TrustedProxies(trusted).client_address(Request(scope))


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "expected"),
    [
        ("", "203.0.113.1", ["198.51.100.7"], "203.0.113.1"),
        ("10.0.0.0/8", "203.0.113.1", ["198.51.100.7"], "203.0.113.1"),
        ("10.0.0.0/8", "10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.0/8", "10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.0/8", "10.0.0.1", ["1.1.1.1", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.0/8", "10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.0/8", "10.0.0.1", ["198.51.100.7, nonsense"], "10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
        ("10.0.0.1, ::1", "::1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", "::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", None, ["198.51.100.7"], "198.51.100.7"),
    ],
)
def test_addresses(trusted: str, peer: str | None, forwarded: list[str], expected: str) -> None:
    assert address(trusted, peer, *forwarded) == expected


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(ValueError, match="proxy"):
        TrustedProxies("10.0.0.0/8, proxy")


def test_one_ipv6_client_has_one_bucket() -> None:
    assert bucket_of("2001:db8::1") == bucket_of("2001:db8::ffff:1") != bucket_of("2001:db8:0:1::1")
    assert bucket_of("192.0.2.1") != bucket_of("192.0.2.2")

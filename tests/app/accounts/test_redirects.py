"""Where a sign-in may lead when an operator has listed addresses with `*` and `**` in them."""

import pytest

from app.accounts.redirects import Redirects
from app.errors import InvalidRequest

SITE = "http://192.0.2.7:8000"
LISTED = (
    "https://*.example.org/**",
    "https://**.example.net/*",
    "https://*/cb",
    "http://localhost:3000/**",
    "kb://done",
)


@pytest.mark.parametrize(
    "address",
    [
        f"{SITE}/welcome", "https://a.example.org/b/c?d=e", "https://A.example.org/", "https://a.b.example.net/c",
        "https://intranet/cb", "http://localhost:3000/x.y",
    ],
)  # fmt: skip
def test_listed(address: str) -> None:
    """The site itself, an IP address even, and what fits a pattern."""
    assert Redirects(SITE, LISTED).checked(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "https://[2001:db8::1]?.example.org/x", "https://[2001:db8::1]:443?.example.org/x",
        "https://[2001:db8::1]#.example.org/x", "https://evil?.example.org/x", "https://evil#.example.org/x",
        "https://evil:443?.example.org/x", "https://2130706433?.example.org/x", "https://0x7f000001?.example.org/",
        "https://evil@.example.org/x", "https://evil\\.example.org/x", "https://evil%3f.example.org/x",
        "https://evil.example/x.example.net/c", "https://evil.example?.example.net/c", "https://evil:1.example.net/c",
        "https://2130706433/cb", "https://0x7f000001/cb", "https://0x/cb", "https://[2001:db8::1]/cb",
        "https://a.example.org:8443/x", "https://a.b.example.org/x", "https://a.example.net/b/c",
        "https://a.example.org/b/../c", "https://a.example.org/%2e%2e/c", f"{SITE}/a/%2E./b",
        "http://localhost:3001/x", "http://192.0.2.7/", "http://192.0.2.8:8000/", "kb://done",
    ],
)  # fmt: skip
def test_not_listed(address: str) -> None:
    """No wildcard reaches out of its part of an address, and none is an IP address."""
    with pytest.raises(InvalidRequest):
        Redirects(SITE, LISTED).checked(address)

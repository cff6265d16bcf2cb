"""Where browsers may be sent back to."""

import pytest

from app.auth.embedded.redirects import allowed
from app.auth.embedded.settings import IdentitySettings

SITE = "https://app.example.com"
SETTINGS = IdentitySettings(
    "https://api.example.com/auth/v1",
    SITE,
    (
        "https://*.preview.example.com/**",
        "https://docs.example.com/*",
        "https://**.example.net/**",
        "kb://done",
        "kb:/*",
        "https://sites.example.com/ours/**",
    ),
)

GOOD = [
    SITE,
    f"{SITE}/welcome?a=1",
    "https://one.preview.example.com/a/b?c=d",
    "https://docs.example.com/page",
    "https://a.b.example.net/c?d",
    "kb://done",
    "kb:/back",
    "https://sites.example.com/ours/.well-known/a..b/...?next=/../c",
]
BAD = [
    "https://evil.example/x",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://app.example.com@evil.example/",
    "https://user@app.example.com/",
    "https://app.example.com.evil.example/",
    "https://app.example.com:8443/",
    "http://app.example.com/",
    "http://2130706433/",
    "http://0x7f.1/",
    "https://[2001:db8::1]?.preview.example.com/x",
    "https://2130706433?.preview.example.com/x",
    "https://evil.example/.example.net/",
    "https://evil.example?.example.net/",
    "https://evil.example#.example.net/",
    "https://a.example.net:8443/",
    "https://93.184.216.34/",
    f"{SITE}/\r\nSet-Cookie: a=b",
    f"{SITE}/ x",
    "https://a.b.preview.example.com/",
    "https://docs.example.com/a/b",
    "https://evil.example/#https://docs.example.com/page",
    "kb://done/more",
    "not a url",
    f"{SITE}/{'x' * 2048}",
    f"{SITE}:0/",
    f"{SITE}/a/../b",
    "https://sites.example.com/ours/../theirs/cb",
    "https://sites.example.com/ours/%2e%2E/theirs",
    "https://sites.example.com/ours/.%2e/theirs",
    "https://sites.example.com/ours/a/%2e./../theirs",
    "https://sites.example.com/ours/./cb",
    "https://sites.example.com/ours/..",
    "https://sites.example.com/ours/..?a=b",
    "https://[::1",
    "",
]


@pytest.mark.parametrize("url", GOOD)
def test_allowed(url: str) -> None:
    """The site and what the list names may be returned to."""
    assert allowed(SETTINGS, url) == url


@pytest.mark.parametrize("url", BAD)
def test_not_allowed(url: str) -> None:
    """Anything else falls back to the site."""
    assert allowed(SETTINGS, url) == SITE


def test_loopback_ports_are_free() -> None:
    """On loopback any port of the site's host will do."""
    local = IdentitySettings("http://127.0.0.1:8000/auth/v1", "http://127.0.0.1:8000")
    assert allowed(local, "http://127.0.0.1:3000/x") == "http://127.0.0.1:3000/x"
    assert allowed(local, "http://localhost:3000/x") == "http://127.0.0.1:8000"

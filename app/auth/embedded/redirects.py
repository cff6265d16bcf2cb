"""Where a browser may be sent back to: the site itself, or what the allow-list names."""

import ipaddress
import re
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from app.auth.embedded.settings import IdentitySettings

LONGEST = 2048
UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
HOST = re.compile(r"^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:.]+\]$")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def allowed(settings: IdentitySettings, wanted: str | None) -> str:
    """The wanted address if it may be used, else the site's; never an error."""
    if not wanted or len(wanted) > LONGEST or UNSAFE.search(wanted):
        return settings.site_url
    parts = _split(wanted)
    if parts is None or not _decent(parts):
        return settings.site_url
    listed = any(_glob(p).fullmatch(urlunsplit(parts._replace(fragment=""))) for p in settings.redirect_allow_list)
    return wanted if listed or _same_origin(parts, urlsplit(settings.site_url)) else settings.site_url


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme else None


def _decent(parts: SplitResult) -> bool:
    if parts.scheme in ("javascript", "data", "vbscript", "file", "blob"):
        return False
    if parts.scheme not in ("http", "https"):
        return True
    return "@" not in parts.netloc and bool(HOST.match(_host(parts))) and not _odd_number(_host(parts))


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _odd_number(host: str) -> bool:
    """Numeric hosts other than loopback, in whichever notation a browser would still understand."""
    if not re.fullmatch(r"(0x)?[0-9a-f]+(\.(0x)?[0-9a-f]+)*|\[.*\]", host) or re.search(r"\.[a-z]+$", host):
        return False
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return bool(re.fullmatch(r"(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+))*", host))


def _same_origin(one: SplitResult, other: SplitResult) -> bool:
    if (one.scheme, one.hostname) != (other.scheme, other.hostname):
        return False
    return _host(one) in LOOPBACK or _port(one) == _port(other)


def _port(parts: SplitResult) -> int | None:
    return parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _glob(pattern: str) -> re.Pattern[str]:
    """`**` is anything, `*` and `?` stop at dots and slashes."""
    pieces = re.split(r"(\*\*|\*|\?)", pattern)
    meaning = {"**": ".*", "*": "[^./]*", "?": "[^./]"}
    return re.compile("".join(meaning.get(piece) or re.escape(piece) for piece in pieces), re.DOTALL)


def with_query(url: str, params: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True) + list(params.items())
    return urlunsplit(parts._replace(query=urlencode(query), fragment=""))


def with_fragment(url: str, params: dict[str, str]) -> str:
    return f"{url.partition('#')[0]}#{urlencode(params)}"


def in_link(url: str) -> str:
    return quote(url, safe=":/")

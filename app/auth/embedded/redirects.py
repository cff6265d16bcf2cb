"""Where a browser may be sent back to: the site itself, or what the allow-list names."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from app.auth.embedded.settings import IdentitySettings

LONGEST = 2048
UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
DOTS = re.compile(r"(^|/)(\.|%2e){1,2}(/|$)", re.IGNORECASE)
"""A segment of a path that browsers resolve: it may lead out of a listed one."""
HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
NUMBER = re.compile(r"(^|\.)(\d+|0x[0-9a-f]*)\.?$|:")
"""What browsers take for an IP address, or for none at all: its last part is a number, in some notation."""
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
PORTS = {"http": 80, "https": 443}
PATTERN = re.compile(r"([^:/?#]+):(?://([^/?#]*))?(.*)")
"""Scheme, host with its port, and what follows."""
IN_HOST = {"**": "[a-z0-9._-]*", "*": "[a-z0-9_-]*"}
BEHIND = {"**": ".*", "*": "[^./]*", "?": "[^./]"}


def allowed(settings: IdentitySettings, wanted: str | None) -> str:
    """The wanted address if it may be used, else the site's; never an error."""
    parts = parsed(wanted or "")
    if not wanted or parts is None:
        return settings.site_url
    listed = is_listed(parts, settings.redirect_allow_list)
    return wanted if listed or _same_origin(parts, urlsplit(settings.site_url)) else settings.site_url


def parsed(address: str) -> SplitResult | None:
    """None for what browsers may read otherwise than we do, or run."""
    if len(address) > LONGEST or UNSAFE.search(address):
        return None
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts if _decent(parts) and not DOTS.search(parts.path) else None


def _decent(parts: SplitResult) -> bool:
    if parts.scheme not in PORTS:
        return parts.scheme not in ("", "javascript", "data", "vbscript", "file", "blob")
    return "@" not in parts.netloc and bool(HOST.fullmatch(_host(parts)))


def is_listed(parts: SplitResult, patterns: Iterable[str]) -> bool:
    """`**` is anything, `*` stops at dots and slashes; neither reaches from the host into a port or the path.

    IP addresses other than loopback are never listed.
    """
    return not _foreign_number(parts.hostname or "") and any(_fits(parts, pattern) for pattern in patterns)


def _fits(parts: SplitResult, pattern: str) -> bool:
    split = PATTERN.fullmatch(pattern)
    if split is None:
        return False
    scheme, host, rest = split.groups("")
    return (
        scheme.lower() == parts.scheme
        and _matches(host.lower(), parts.netloc.lower(), IN_HOST)
        and _matches(rest, f"{parts.path}?{parts.query}" if parts.query else parts.path, BEHIND)
    )


def _matches(pattern: str, text: str, meaning: Mapping[str, str]) -> bool:
    pieces = re.split(r"(\*\*|\*|\?)", pattern)
    return bool(re.fullmatch("".join(meaning.get(piece) or re.escape(piece) for piece in pieces), text))


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _foreign_number(host: str) -> bool:
    """An IP address other than loopback, or what a browser may take for one."""
    if not NUMBER.search(host):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def _same_origin(one: SplitResult, other: SplitResult) -> bool:
    return origin(one) == origin(other) or (
        _host(one) in LOOPBACK and (one.scheme, one.hostname) == (other.scheme, other.hostname)
    )


def origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, PORTS.get(parts.scheme) if parts.port is None else parts.port


def with_query(url: str, params: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True) + list(params.items())
    return urlunsplit(parts._replace(query=urlencode(query), fragment=""))


def with_fragment(url: str, params: dict[str, str]) -> str:
    return f"{url.partition('#')[0]}#{urlencode(params)}"


def in_link(url: str) -> str:
    return quote(url, safe=":/")

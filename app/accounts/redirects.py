"""Where a browser may be sent on to after a sign-in: our own site, or what an operator has listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from app.errors import InvalidRequest

LONGEST = 2048
UNSAFE = re.compile(r"[^\x21-\x7e]|\\")
PORTS = {"http": 80, "https": 443}


class Redirects:
    """`patterns` are KB_ALLOWED_REDIRECTS: `**` is anything, `*` stops at dots and slashes."""

    def __init__(self, site: str, patterns: str) -> None:
        self._site = site
        self._patterns = [_glob(pattern) for pattern in map(str.strip, patterns.split(",")) if pattern]

    def checked(self, wanted: str | None) -> str | None:
        """As an absolute address. Raises InvalidRequest for one that leads elsewhere."""
        if wanted is None:
            return None
        address = urljoin(self._site, wanted) if _is_path(wanted) else wanted
        if UNSAFE.search(wanted) or not self._allows(address):  # joining drops what browsers drop
            raise InvalidRequest("`next` has to lead to an address that is allowed here.")
        return address

    def _allows(self, address: str) -> bool:
        parts = _split(address)
        if parts is None:
            return False
        bare = urlunsplit(parts._replace(fragment=""))
        return _origin(parts) == _origin(urlsplit(self._site)) or any(one.fullmatch(bare) for one in self._patterns)


def with_code(address: str, code: str) -> str:
    parts = urlsplit(address)
    query = [*parse_qsl(parts.query, keep_blank_values=True), ("code", code)]
    return urlunsplit(parts._replace(query=urlencode(query), fragment=""))


def _is_path(wanted: str) -> bool:
    return wanted.startswith("/") and not wanted.startswith("//")


def _split(address: str) -> SplitResult | None:
    """None for what browsers may read otherwise than we do."""
    if len(address) > LONGEST:
        return None
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    decent = parts.scheme in PORTS and parts.hostname and "@" not in parts.netloc
    return parts if decent else None


def _origin(parts: SplitResult) -> Sequence[object]:
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


def _glob(pattern: str) -> re.Pattern[str]:
    meaning = {"**": ".*", "*": "[^./]*"}
    return re.compile("".join(meaning.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*|\*)", pattern)))

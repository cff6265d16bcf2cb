"""Where a browser may be sent on to after a sign-in: our own site, or what an operator has listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit

from app.auth.embedded.redirects import PORTS, is_listed, origin, parsed
from app.errors import InvalidRequest

UNSAFE = re.compile(r"[^\x21-\x7e]")


class Redirects:
    """`patterns` are KB_ALLOWED_REDIRECTS, which mean the same here as at the embedded identity server."""

    def __init__(self, site: str, patterns: Sequence[str]) -> None:
        self._site = site
        self._patterns = patterns

    def checked(self, wanted: str | None) -> str | None:
        """As an absolute address. Raises InvalidRequest for one that leads elsewhere."""
        if wanted is None:
            return None
        address = urljoin(self._site, wanted) if _is_path(wanted) else wanted
        if UNSAFE.search(wanted) or not self._allows(address):  # joining drops what browsers drop
            raise InvalidRequest("`next` has to lead to an address that is allowed here.")
        return address

    def _allows(self, address: str) -> bool:
        parts = parsed(address)
        if parts is None or parts.scheme not in PORTS:
            return False
        return origin(parts) == origin(urlsplit(self._site)) or is_listed(parts, self._patterns)


def _is_path(wanted: str) -> bool:
    return wanted.startswith("/") and not wanted.startswith("//")

"""Versions of a document in `ETag` and `If-Match`.

A version turns from `pending` to `indexed` under one tag: with `If-None-Match` a client would not see it.
"""

from __future__ import annotations

import re
from collections.abc import Container

from pipelines.types import Document

TAG = re.compile(r'(W/)?"([^"]*)"')
TAGS = re.compile(rf"[\s,]*{TAG.pattern}(?:\s*,[\s,]*{TAG.pattern})*[\s,]*")
"""With empty elements anywhere, which mean nothing."""
ANY = range(2**63)


def etag(document: Document) -> str:
    return f'"{document.revision}"'


def wanted_revisions(lines: list[str] | None) -> Container[int] | None:
    """Those that an If-Match allows, None without one; of strong tags only, and of what is no list of tags none."""
    if lines is None:
        return None
    header = ",".join(lines).strip()
    if header == "*":
        return ANY
    tags = TAG.findall(header) if TAGS.fullmatch(header) else []
    return {int(tag) for weak, tag in tags if not weak and re.fullmatch(r"[0-9]{1,9}", tag)}

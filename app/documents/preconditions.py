"""Versions of a document in `ETag` and `If-Match`.

A version turns from `pending` to `indexed` under one tag: with `If-None-Match` a client would not see it.
"""

from __future__ import annotations

import re
from uuid import UUID

from pipelines.knowledge import KnowledgeBase
from pipelines.types import Document, Scope

TAG = re.compile(r'(W/)?"([^"]*)"')
TAGS = re.compile(rf"{TAG.pattern}(?:\s*,\s*{TAG.pattern})*")
NONE_SUCH = -1
"""A revision that no document has."""


def etag(document: Document) -> str:
    return f'"{document.revision}"'


async def wanted_revision(header: str | None, document_id: UUID, scope: Scope, knowledge: KnowledgeBase) -> int | None:
    """The one revision that an If-Match allows, None where any will do. Raises DocumentNotFound."""
    if header is None or header.strip() == "*":
        return None
    allowed = _revisions(header)
    if len(allowed) < 2:
        return next(iter(allowed), NONE_SUCH)
    now = await knowledge.get(document_id, scope)
    return now.revision if now.revision in allowed else NONE_SUCH


def _revisions(header: str) -> set[int]:
    """Of strong tags only: a weak one never matches, and of what is no list of tags none."""
    if not TAGS.fullmatch(header.strip()):
        return set()
    return {int(tag) for weak, tag in TAG.findall(header) if not weak and re.fullmatch(r"[0-9]{1,9}", tag)}

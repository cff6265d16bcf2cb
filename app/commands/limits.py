"""What the service refuses over HTTP is refused here too, with the reason."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from pydantic import ValidationError

from app.commands.reading import Failure
from app.documents.schemas import CreateDocument
from pipelines.types import NewDocument

NOT_TEXT = re.compile("[\0\ud800-\udfff]")


def refused(document: NewDocument) -> Failure | None:
    values = {field.name: getattr(document, field.name) for field in fields(document)}
    reason = _reason(values)
    return Failure(document.external_id, reason) if reason else None


def _reason(values: dict[str, Any]) -> str | None:
    if not values["content"].strip():
        return "its text is empty"
    unfit = [name for name, value in values.items() if not _is_text(value)]
    if unfit:
        return f"its {unfit[0]} has characters that are not text (NUL or half of a surrogate pair)"
    try:
        CreateDocument(**values)
    except ValidationError as error:
        return "; ".join(f"its {one['loc'][0]}: {_clause(one['msg'])}" for one in error.errors())
    return None


def _is_text(value: Any) -> bool:
    if isinstance(value, str):
        return not NOT_TEXT.search(value)
    inside = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return all(map(_is_text, inside))


def _clause(message: str) -> str:
    """Pydantic's sentence as the end of one of ours."""
    clause = message.removeprefix("Value error, ")
    return clause[:1].lower() + clause[1:]

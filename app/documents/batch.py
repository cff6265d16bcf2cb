"""Many documents at once, each standing alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from app.documents.schemas import CreateDocument, summary
from app.error_handlers import as_service_error, details_of
from app.errors import InvalidRequest, ServiceError
from pipelines.errors import IndexUnavailable, KnowledgeBaseError
from pipelines.knowledge import KnowledgeBase
from pipelines.types import Document, DocumentStatus, NewDocument, Put, Scope


@dataclass(slots=True)
class Outcome:
    """What became of the items, in their order."""

    results: list[dict[str, Any]] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum(result["status"] == "error" for result in self.results)

    @property
    def is_pending(self) -> bool:
        return any(result["status"] == "pending" for result in self.results)

    def as_json(self) -> dict[str, Any]:
        return {"results": self.results, "succeeded": len(self.results) - self.failed, "failed": self.failed}


async def put_all(
    items: Sequence[Any], scope: Scope, knowledge: KnowledgeBase, *, upsert: bool, wait: float | None
) -> Outcome:
    read = list(_read_all(items))
    good = [one for one in read if isinstance(one, NewDocument)]
    put = iter(await knowledge.put_many(good, scope, upsert=upsert, wait=wait) if good else ())
    became = [next(put) if isinstance(one, NewDocument) else one for one in read]
    return Outcome([_result(index, items[index], one) for index, one in enumerate(became)])


def _read_all(items: Sequence[Any]) -> Iterable[NewDocument | ServiceError]:
    seen: set[tuple[str, str]] = set()
    for item in items:
        try:
            document = CreateDocument.model_validate(item)
        except ValidationError as error:
            yield _invalid(error)
            continue
        yield _duplicate() if document.key in seen else document.as_new()
        seen.add(document.key)


def _invalid(error: ValidationError) -> ServiceError:
    found = details_of(error.errors(include_url=False, include_context=False, include_input=False))
    return InvalidRequest(
        " ".join(f"{one['field']}: {one['message']}" if one["field"] else one["message"] for one in found)
    )


def _duplicate() -> ServiceError:
    return ServiceError(409, "DUPLICATE_IN_BATCH", "An earlier item of this batch has the same source and external_id.")


def _result(index: int, item: Any, became: Put | KnowledgeBaseError | ServiceError) -> dict[str, Any]:
    if isinstance(became, Put):
        return {"index": index, **_of_document(became.document)}
    refusal = as_service_error(became)
    return {
        "index": index,
        "status": "error",
        "id": refusal.extra.get("id"),
        **{name: _said(item, name) for name in ("source", "external_id", "title")},
        "indexed_at": None,
        "error": _error(refusal),
    }


def _of_document(document: Document) -> dict[str, Any]:
    if document.status is not DocumentStatus.FAILED:
        return summary(document)
    refusal = as_service_error(IndexUnavailable("The document is kept but could not be indexed yet."))
    return {**summary(document), "status": "error", "error": _error(refusal)}


def _error(refusal: ServiceError) -> dict[str, str]:
    return {"code": refusal.code, "message": refusal.message}


def _said(item: Any, name: str) -> str | None:
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, str) else None

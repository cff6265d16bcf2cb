"""/api/documents."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import WithJsonSchema
from starlette.responses import Response

from app import openapi
from app.auth.credentials import Caller, authenticate, permitted
from app.bodies import body, json_media_type
from app.documents.batch import put_all
from app.documents.preconditions import etag, wanted_revisions
from app.documents.schemas import SOURCE, Batch, CreateDocument, UpdateDocument, full, listed, summary
from app.errors import InvalidRequest
from app.identifiers import read_id
from app.limits.dependencies import LIMITED
from app.openapi import EVERYWHERE, request_body
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge
from pipelines.errors import DocumentNotFound
from pipelines.types import Document, DocumentStatus

router = APIRouter(
    prefix="/api/documents",
    tags=["Documents"],
    dependencies=[Depends(json_media_type), Depends(authenticate)],
    responses=EVERYWHERE,
)
EDITING = [Depends(permitted(Operation.EDIT_DOCUMENTS)), LIMITED]
READING = [Depends(permitted(Operation.READ_DOCUMENTS)), LIMITED]

Lines = Annotated[list[str], WithJsonSchema({"type": "string"})]
"""A header's, which are one list (RFC 9110, 5.3)."""
Prefer = Annotated[Lines | None, Header(description="`respond-async`: answer 202 at once and index in the background.")]
IfMatch = Annotated[Lines | None, Header(description="Only if this is the document's version (its `ETag`).")]
Upsert = Annotated[bool, Query(description="Update the document where it exists already.")]
Text = Annotated[str, Query(max_length=512, pattern=r"^[^\x00]*$")]


@router.post(
    "",
    dependencies=EDITING,
    openapi_extra=request_body(CreateDocument),
    status_code=201,
    responses=openapi.CREATE_RESPONSES,
)
async def create(
    caller: Caller,
    knowledge: Knowledge,
    given: Annotated[CreateDocument, Depends(body(CreateDocument))],
    upsert: Upsert = False,
    if_match: IfMatch = None,
    prefer: Prefer = None,
) -> Response:
    """Create a document; the answer comes when it is searchable."""
    wanted = wanted_revisions(if_match)
    put = await knowledge.put(given.as_new(), caller.scope, upsert=upsert, if_match=wanted, wait=_wait(prefer))
    document = put.document
    status = 202 if document.status != DocumentStatus.INDEXED else 201 if put.created else 200
    headers = {"Location": f"/api/documents/{document.id}", "ETag": etag(document), **_applied(prefer)}
    return json_response(summary(document), status, headers)


@router.post("/batch", dependencies=EDITING, openapi_extra=request_body(Batch), responses=openapi.BATCH_RESPONSES)
async def create_batch(
    caller: Caller,
    knowledge: Knowledge,
    given: Annotated[Batch, Depends(body(Batch))],
    upsert: Upsert = False,
    prefer: Prefer = None,
) -> Response:
    """Create up to 100 documents; each stands alone."""
    outcome = await put_all(given.documents, caller.scope, knowledge, upsert=upsert, wait=_wait(prefer))
    nothing_done = outcome.failed == len(outcome.results)
    is_async = outcome.is_pending or (_is_async(prefer) and not nothing_done)
    status = 202 if is_async else 207 if outcome.failed else 200
    return json_response(outcome.as_json(), status, _applied(prefer))


@router.get("", dependencies=READING, responses=openapi.LIST_RESPONSES)
async def list_documents(
    caller: Caller,
    knowledge: Knowledge,
    source: Text | None = None,
    status: DocumentStatus | None = None,
    external_id: Text | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=1000)] = None,
) -> Response:
    """List documents, newest first, without their content."""
    page = await knowledge.list(
        caller.scope, source=source, status=status, external_id=external_id, limit=limit, cursor=cursor
    )
    documents = [listed(document) for document in page.documents]
    return json_response({"documents": documents, "next_cursor": page.next_cursor})


@router.get("/{document_id}", dependencies=READING, responses=openapi.GET_RESPONSES)
async def get(document_id: str, caller: Caller, knowledge: Knowledge) -> Response:
    """Get one document, searchable or not."""
    return _full(await knowledge.get(_id(document_id), caller.scope))


@router.put(
    "/{document_id}",
    dependencies=EDITING,
    openapi_extra=request_body(UpdateDocument),
    responses=openapi.UPDATE_RESPONSES,
)
async def update(
    document_id: str,
    caller: Caller,
    knowledge: Knowledge,
    given: Annotated[UpdateDocument, Depends(body(UpdateDocument))],
    if_match: IfMatch = None,
    prefer: Prefer = None,
) -> Response:
    """Update what is named; the answer comes when the new version is searchable."""
    document = await knowledge.update(
        _id(document_id),
        caller.scope,
        title=given.title,
        content=given.content,
        url=given.new_url,
        metadata=given.metadata,
        if_match=wanted_revisions(if_match),
        wait=_wait(prefer),
    )
    return _full(document, 200 if document.status == DocumentStatus.INDEXED else 202, _applied(prefer))


@router.delete("/{document_id}", dependencies=EDITING, status_code=204, responses=openapi.DELETE_RESPONSES)
async def delete(document_id: str, caller: Caller, knowledge: Knowledge, if_match: IfMatch = None) -> Response:
    """Delete one document; from the answer on nothing cites it."""
    await knowledge.remove(_id(document_id), caller.scope, if_match=wanted_revisions(if_match))
    return Response(status_code=204)


@router.delete("", dependencies=EDITING, responses=openapi.DELETE_SOURCE_RESPONSES)
async def delete_by_source(
    request: Request,
    caller: Caller,
    knowledge: Knowledge,
    source: Annotated[str, Query(pattern=SOURCE)],
    external_id: Annotated[str, Query(min_length=1, max_length=512, pattern=r"^[^\x00]*$")] | None = None,
    if_match: IfMatch = None,
) -> Response:
    """Delete all documents of a source (200 with their number), or the one of its `external_id` (204).

    A misspelt `external_id` must not delete the whole source: other parameters are refused.
    """
    if unknown := request.query_params.keys() - {"source", "external_id"}:
        raise InvalidRequest(f"There is no parameter {min(unknown)}.")
    if external_id is not None:
        await knowledge.remove_by_key(source, external_id, caller.scope, if_match=wanted_revisions(if_match))
        return Response(status_code=204)
    if if_match is not None:
        raise InvalidRequest("If-Match names a version of one document: a whole source has none.")
    return json_response({"deleted": await knowledge.remove_source(source, caller.scope)})


def _id(text: str) -> UUID:
    found = read_id(text)
    if found is None:
        raise DocumentNotFound
    return found


def _full(document: Document, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return json_response(full(document), status, {"ETag": etag(document), **(headers or {})})


def _is_async(prefer: list[str] | None) -> bool:
    wishes = ",".join(prefer or ()).replace(";", ",").split(",")
    return any(wish.strip().lower() == "respond-async" for wish in wishes)


def _wait(prefer: list[str] | None) -> float | None:
    return 0.0 if _is_async(prefer) else None


def _applied(prefer: list[str] | None) -> dict[str, str]:
    return {"Preference-Applied": "respond-async"} if _is_async(prefer) else {}

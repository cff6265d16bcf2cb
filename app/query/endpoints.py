"""/api/ai: questions answered, and documents found."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.auth.credentials import Caller, authenticate, permitted
from app.bodies import body, json_media_type
from app.departures import while_connected
from app.limits.dependencies import QUESTION_LIMITED
from app.openapi import EVERYWHERE, QUERY_RESPONSES, SEARCH_RESPONSES, request_body
from app.query.schemas import Query, Search, code_of, evidence, results
from app.query.stream import begin
from app.query.timing import Stopwatch
from app.responses import json_response
from app.roles import Operation
from app.state import Knowledge, state_of
from pipelines.types import Answer

DEFAULT_RESULTS = 10

router = APIRouter(
    prefix="/api/ai",
    tags=["Questions"],
    dependencies=[
        Depends(json_media_type),
        Depends(authenticate),
        Depends(permitted(Operation.ASK)),
        QUESTION_LIMITED,
    ],
    responses=EVERYWHERE,
)


@router.post("/query", openapi_extra=request_body(Query), responses=QUERY_RESPONSES)
async def query(
    request: Request,
    caller: Caller,
    knowledge: Knowledge,
    asked: Annotated[Query, Depends(body(Query, code_of))],
) -> Response:
    """Answer a question from the organization's documents, with verified citations."""
    watch = Stopwatch()
    scope = asked.scope(caller.scope)
    wanted = asked.options.max_citations
    state = state_of(request)
    metrics = state["metrics"]
    if asked.options.stream:
        events = metrics.counted(knowledge.stream(asked.question, scope, max_citations=wanted))
        return await begin(events, request.receive, watch, state["shutdown"])
    answering = knowledge.answer(asked.question, scope, max_citations=wanted)
    answer = await while_connected(request.receive, answering)
    metrics.question(answer)
    return json_response(_whole(answer, watch))


@router.post("/search", openapi_extra=request_body(Search), responses=SEARCH_RESPONSES)
async def search(
    caller: Caller,
    knowledge: Knowledge,
    asked: Annotated[Search, Depends(body(Search, code_of))],
) -> Response:
    """Find documents, ranked by their best passage; no answer is made."""
    watch = Stopwatch()
    limit = asked.options.limit or DEFAULT_RESULTS
    found = await knowledge.search(asked.question, asked.scope(caller.scope), limit=limit)
    metadata = watch.metadata(found.documents_searched, len(found.hits))
    return json_response({"results": results(found), "query_metadata": metadata})


def _whole(answer: Answer, watch: Stopwatch) -> dict[str, Any]:
    metadata = watch.metadata(answer.documents_searched, answer.documents_used)
    return {"answer": answer.text, **evidence(answer), "query_metadata": metadata}

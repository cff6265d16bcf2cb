"""What /openapi.json says beyond what the signatures say: bodies, answers, errors and credentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, TypeAdapter

from app import schemas
from app.auth.credentials import ORGANIZATION
from app.auth.routes import Credentials, declared_by, limit_of, operation_of
from app.examples import ANSWER, BATCH, DOCUMENT, DOCUMENTS, ERROR, FOUND, STREAM, SUMMARY
from app.limits.limiter import Kind
from app.roles import PERMITTED, ROLES

REFERENCE = "#/components/schemas/{model}"
JSON = "application/json"

STATUSES = {
    400: "The request is not valid.",
    401: "The access token or API key is missing, invalid or expired.",
    403: "The role does not permit this.",
    413: "The body is larger than 32 MiB.",
    415: "The body is not JSON.",
    429: "Too many requests; `retry_after` says when to come back.",
    500: "Something went wrong on our side.",
    503: "The database, an index or a model cannot be used now; `Retry-After` says when to come back.",
}
NOT_FOUND = {404: "There is no such document."}
CHANGED = {412: "The document is not at a version named in If-Match."}
PENDING = "Accepted: what is `pending` will be searchable soon."
HEADER = "#/components/headers/{name}"


def _header(description: str, example: str | int) -> dict[str, Any]:
    kind = "integer" if isinstance(example, int) else "string"
    return {"description": description, "schema": {"type": kind}, "example": example}


HEADERS = {
    "X-Request-Id": _header("The request's own, or a new one.", "01942f6d-5c10-7f9d-a1d4-90b7c2e8f635"),
    "X-RateLimit-Limit": _header("Of the limit that binds first.", 200),
    "X-RateLimit-Remaining": _header("What is left of it.", 187),
    "X-RateLimit-Reset": _header("When it is full again, in Unix seconds.", 1795239068),
    "X-RateLimit-Quota-Limit": _header("Questions of the month, or `unlimited`.", "1000"),
    "X-RateLimit-Quota-Remaining": _header("What is left of them, or `unlimited`.", "688"),
    "X-RateLimit-Quota-Reset": _header("When the next month begins, in Unix seconds.", 1796083200),
    "Retry-After": _header("Seconds.", 5),
    "ETag": _header("The document's version.", '"3"'),
    "Location": _header("The document's address.", "/api/documents/01942f6c-8b1e-7c3a-9d52-6f0e4a7b1c90"),
}
RATE = [name for name in HEADERS if name.startswith("X-RateLimit-") and "Quota" not in name]
QUOTA = [name for name in HEADERS if "Quota" in name]
TOLD = {Kind.GENERAL: RATE, Kind.QUESTION: RATE + QUOTA}
UNCOUNTED = {"401", "403", "413", "415"}
"""Refused before the limits are asked."""
LATER = {"429", "503"}


def _headers(names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": HEADER.format(name=name)} for name in names}


TAGGED = _headers(["ETag"])
MADE = _headers(["ETag", "Location"])
CHOICE = {
    "name": "X-Organization-Id",
    "in": "header",
    "description": "Of several organizations the one that is meant; without it the one joined first.",
    "schema": {"type": "string", "format": "uuid"},
}

_bodies: list[type[BaseModel]] = []
_answers: list[Any] = []
Responses = dict[int | str, dict[str, Any]]


def request_body(model: type[BaseModel]) -> dict[str, Any]:
    """Bodies are read by hand, after the credentials, so that they are described by hand, too."""
    _bodies.append(model)
    schema = {"$ref": REFERENCE.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def answers(status: int, description: str, example: Any, schema: Any, **more: Any) -> Responses:
    return {status: {"description": description, "content": {JSON: shown(example, schema)}, **more}}


def shown(example: Any, schema: Any) -> dict[str, Any]:
    _answers.append(schema)
    return {"schema": {"$ref": REFERENCE.format(model=schema.__name__)}, "example": example}


def refusals(statuses: dict[int, str]) -> Responses:
    return {status: _refusal(text) for status, text in statuses.items()}


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": {"$ref": REFERENCE.format(model="Error")}}}}


EVERYWHERE = refusals(STATUSES)
CREATE_RESPONSES = {
    **answers(200, "Updated (with `upsert`) and searchable.", SUMMARY, schemas.DocumentSummary, headers=MADE),
    **answers(201, "Created and searchable.", SUMMARY, schemas.DocumentSummary, headers=MADE),
    **answers(
        202,
        PENDING,
        SUMMARY | {"status": "pending", "indexed_at": None},
        schemas.DocumentSummary,
        headers=MADE,
    ),
    **refusals(
        {
            404: "The document was deleted while it was being indexed.",
            409: "A document with this source and external_id exists; `id` is its id.",
        }
        | CHANGED
    ),
}
BATCH_RESPONSES = {
    **answers(200, "All succeeded.", BATCH, schemas.BatchOutcome),
    **answers(202, PENDING, BATCH, schemas.BatchOutcome),
    **answers(207, "Some failed: each item has its own status.", BATCH, schemas.BatchOutcome),
}
LIST_RESPONSES = answers(200, "A page of documents.", DOCUMENTS, schemas.DocumentPage)
GET_RESPONSES = {
    **answers(200, "The newest version.", DOCUMENT, schemas.Document, headers=TAGGED),
    **refusals(NOT_FOUND),
}
UPDATE_RESPONSES = {
    **answers(200, "Updated and searchable.", DOCUMENT, schemas.Document, headers=TAGGED),
    **answers(202, PENDING, DOCUMENT | {"status": "pending", "indexed_at": None}, schemas.Document, headers=TAGGED),
    **refusals(NOT_FOUND | CHANGED),
}
DELETE_RESPONSES: Responses = {204: {"description": "Deleted."}, **refusals(NOT_FOUND | CHANGED)}
DELETE_SOURCE_RESPONSES = {
    **answers(200, "All documents of the source are deleted.", {"deleted": 12}, schemas.Deleted),
    204: {"description": "The one document is deleted."},
    **refusals(NOT_FOUND | CHANGED),
}
QUERY_RESPONSES: Responses = {
    200: {
        "description": (
            "The answer. With `options.stream` it comes as server-sent events: one for each piece of text, then exactly"
            " one with `done: true`, which has the citations, or `error`, `message` and `code`. Lines that begin with"
            " a colon keep the connection open and mean nothing."
        ),
        "content": {
            JSON: shown(ANSWER, schemas.QueryAnswer),
            "text/event-stream": {"schema": {"type": "string"}, "example": STREAM},
        },
    }
}
SEARCH_RESPONSES = answers(200, "Documents, best first.", FOUND, schemas.SearchResults)

ERROR_SCHEMA = {
    "title": "Error",
    "type": "object",
    "required": ["error", "message", "code", "request_id"],
    "properties": {
        "error": {"type": "string", "description": "The status' reason phrase."},
        "message": {"type": "string", "description": "A sentence for a person."},
        "code": {"type": "string", "description": "Stable, for programs."},
        "request_id": {"type": "string"},
        "details": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
        "retry_after": {"type": "integer", "minimum": 1},
    },
    "example": ERROR,
}
SECURITY = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer", "description": "An access token or an API key."},
}


def describe(app: FastAPI, server: str) -> None:
    """Has the application make its description once, when it is first asked for."""

    def openapi() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = _description(app, server)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _description(app: FastAPI, server: str) -> dict[str, Any]:
    said = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, servers=[{"url": server}]
    )
    components = said.setdefault("components", {})
    components["schemas"] = {**_kept(components.get("schemas", {})), "Error": ERROR_SCHEMA, **_schemas()}
    components["securitySchemes"] = SECURITY
    components["headers"] = HEADERS
    for route in iter_route_contexts(app.routes):
        for method in route.methods or ():
            if operation := said["paths"].get(route.path, {}).get(method.lower()):
                _complete(operation, route)
    return said


def _complete(operation: dict[str, Any], route: Any) -> None:
    """Who may call it is said by the very declarations that are checked at each request."""
    operation["responses"].pop("422", None)  # validation is 400 here
    declared = declared_by(route)
    schemes = (
        ["ApiKey", "Bearer"] if Credentials.ANY in declared else ["Bearer"] if Credentials.PERSON in declared else []
    )
    operation["security"] = [{scheme: []} for scheme in schemes]
    if wanted := operation_of(route):
        roles = ", ".join(role for role in ROLES if role in PERMITTED[wanted])
        operation["description"] = f"{operation.get('description', '')}\n\nRoles: {roles}.".strip()
    if schemes and f"{{{ORGANIZATION}}}" not in route.path:
        operation.setdefault("parameters", []).append(CHOICE)
    for status, response in operation["responses"].items():
        if example := route.responses.get(int(status), {}).get("content", {}).get(JSON, {}).get("example"):
            response["content"][JSON]["example"] = example  # the framework leaves null out of it
        response["headers"] = {**response.get("headers", {}), **_headers(_common(status, limit_of(route)))}


def _common(status: str, limit: Kind | None) -> list[str]:
    """The headers of every response with this status."""
    told = TOLD[limit] if limit and status not in UNCOUNTED else []
    return ["X-Request-Id", *told, *(["Retry-After"] if status in LATER else [])]


def _kept(found: dict[str, Any]) -> dict[str, Any]:
    """Without the framework's own error, which never leaves the service."""
    return {name: schema for name, schema in found.items() if not name.endswith("ValidationError")}


def _schemas() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for model in (*_bodies, *_answers):
        schema = TypeAdapter(model).json_schema(ref_template=REFERENCE)
        made |= schema.pop("$defs", {})
        made[model.__name__] = schema
    return made

"""What /openapi.json says beyond what the signatures say: bodies, answers, errors and credentials."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel

from app.auth.routes import Credentials, declared_by, operation_of
from app.examples import ANSWER, BATCH, DOCUMENT, DOCUMENTS, ERROR, FOUND, STREAM, SUMMARY
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
CHANGED = {412: "The document has changed since the version named in If-Match."}
PENDING = "Accepted: what is `pending` will be searchable soon."
TAGGED = {"ETag": {"description": "The document's version.", "schema": {"type": "string"}, "example": '"3"'}}

_bodies: list[type[BaseModel]] = []
Responses = dict[int | str, dict[str, Any]]


def request_body(model: type[BaseModel]) -> dict[str, Any]:
    """Bodies are read by hand, after the credentials, so that they are described by hand, too."""
    _bodies.append(model)
    schema = {"$ref": REFERENCE.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def answers(status: int, description: str, example: Any, **more: Any) -> Responses:
    return {status: {"description": description, "content": {JSON: {"example": example}}, **more}}


def refusals(statuses: dict[int, str]) -> Responses:
    return {status: _refusal(text) for status, text in statuses.items()}


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": {"$ref": REFERENCE.format(model="Error")}}}}


EVERYWHERE = refusals(STATUSES)
CREATE_RESPONSES = {
    **answers(200, "Updated (with `upsert`) and searchable.", SUMMARY),
    **answers(201, "Created and searchable.", SUMMARY),
    **answers(202, PENDING, SUMMARY | {"status": "pending", "indexed_at": None}),
    **refusals(
        {
            404: "The document was deleted while it was being indexed.",
            409: "A document with this source and external_id exists; `id` is its id.",
        }
    ),
}
BATCH_RESPONSES = {
    **answers(200, "All succeeded.", BATCH),
    **answers(202, PENDING, BATCH),
    **answers(207, "Some failed: each item has its own status.", BATCH),
}
LIST_RESPONSES = answers(200, "A page of documents.", DOCUMENTS)
GET_RESPONSES = {
    **answers(200, "The newest version.", DOCUMENT, headers=TAGGED),
    **refusals(NOT_FOUND),
}
UPDATE_RESPONSES = {
    **answers(200, "Updated and searchable.", DOCUMENT, headers=TAGGED),
    **answers(202, PENDING, DOCUMENT | {"status": "pending", "indexed_at": None}, headers=TAGGED),
    **refusals(NOT_FOUND | CHANGED),
}
DELETE_RESPONSES: Responses = {204: {"description": "Deleted."}, **refusals(NOT_FOUND | CHANGED)}
DELETE_SOURCE_RESPONSES = {
    **answers(200, "All documents of the source are deleted.", {"deleted": 12}),
    204: {"description": "The one document is deleted."},
    **refusals(NOT_FOUND),
}
QUERY_RESPONSES: Responses = {
    200: {
        "description": (
            "The answer. With `options.stream` it comes as server-sent events: one for each piece of text, then exactly"
            " one with `done: true`, which has the citations, or `error`, `message` and `code`. Lines that begin with"
            " a colon keep the connection open and mean nothing."
        ),
        "content": {
            JSON: {"example": ANSWER},
            "text/event-stream": {"schema": {"type": "string"}, "example": STREAM},
        },
    }
}
SEARCH_RESPONSES = answers(200, "Documents, best first.", FOUND)

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


def _kept(schemas: dict[str, Any]) -> dict[str, Any]:
    """Without the framework's own error, which never leaves the service."""
    return {name: schema for name, schema in schemas.items() if not name.endswith("ValidationError")}


def _schemas() -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    for model in _bodies:
        schema = model.model_json_schema(ref_template=REFERENCE)
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    return schemas

"""The one place where errors become responses."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

from app.context import context_of
from app.errors import (
    DatabaseUnavailable,
    Details,
    InternalError,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    ServiceError,
    Unavailable,
    envelope,
)
from app.responses import json_response
from pipelines.errors import (
    AnswerUnavailable,
    DocumentExists,
    DocumentNotFound,
    IndexUnavailable,
    InvalidCursor,
    KnowledgeBaseError,
    PreconditionFailed,
)

logger = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    app.add_exception_handler(ServiceError, _handle)
    app.add_exception_handler(KnowledgeBaseError, _handle)
    app.add_exception_handler(RequestValidationError, _handle)
    app.add_exception_handler(HTTPException, _handle_http)


def error_response(error: ServiceError, request_id: str) -> Response:
    return json_response(envelope(error, request_id), error.status, error.headers)


def as_service_error(error: Exception) -> ServiceError:
    """Any exception as the refusal that a client may see; what nobody foresaw is logged."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, KnowledgeBaseError):
        return _of_library(error)
    if isinstance(error, RequestValidationError):
        return InvalidRequest("The request is not valid.", details_of(error.errors(), skip=1))
    if _is_of_database(error):
        reason = str(getattr(error, "orig", None) or error)
        logger.error("the database cannot be used: %s: %s", type(error).__name__, reason.partition("\n")[0])
        return DatabaseUnavailable()
    logger.error("unhandled error", exc_info=error)
    return InternalError()


def _is_of_database(error: Exception) -> bool:
    """Whether it is away, locked or has no connection left; any statement can find out that its connection is gone."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | InterfaceError | PoolTimeout)


def details_of(errors: Sequence[Any], skip: int = 0) -> Details:
    """What a validation found, by field; `skip` leaves out where in the request it was (`query`)."""
    return [
        {"field": ".".join(map(str, error["loc"][skip:])), "message": sentence(error["msg"])} for error in errors[:100]
    ]


OBJECT = re.compile(r"a valid dictionary( or instance of \w+| or object to extract fields from)?")
"""As the validation calls one: Python's word, and the name of a class of ours."""


def sentence(message: str) -> str:
    message = OBJECT.sub("an object", message.removeprefix("Value error, "))
    return f"{message[:1].upper()}{message[1:].rstrip('.')}."


REFUSALS: dict[type[KnowledgeBaseError], tuple[int, str]] = {
    DocumentNotFound: (404, "DOCUMENT_NOT_FOUND"),
    DocumentExists: (409, "DOCUMENT_EXISTS"),
    PreconditionFailed: (412, "PRECONDITION_FAILED"),
    InvalidCursor: (400, "INVALID_CURSOR"),
    IndexUnavailable: (503, "INDEX_UNAVAILABLE"),
    AnswerUnavailable: (503, "ANSWER_UNAVAILABLE"),
}


def _of_library(error: KnowledgeBaseError) -> ServiceError:
    if type(error) not in REFUSALS:
        logger.error("unforeseen refusal of the library", exc_info=error)
        return InternalError()
    status, code = REFUSALS[type(error)]
    if isinstance(error, IndexUnavailable | AnswerUnavailable):
        return Unavailable(code, str(error), error.retry_after)
    extra: dict[str, Any] = {"id": str(error.document_id)} if isinstance(error, DocumentExists) else {}
    return ServiceError(status, code, str(error), **extra)


async def _handle(request: Request, error: Exception) -> Response:
    return error_response(as_service_error(error), context_of(request.scope).request_id)


async def _handle_http(request: Request, error: Exception) -> Response:
    refusal = _of_framework(request, cast("HTTPException", error))
    return error_response(refusal, context_of(request.scope).request_id)


def _of_framework(request: Request, error: HTTPException) -> ServiceError:
    match error.status_code:
        case 404:
            return NotFound()
        case 405:
            return MethodNotAllowed(_allowed(request, error))
        case status if status >= 500:
            return InternalError()
    return ServiceError(error.status_code, "INVALID_REQUEST", f"{HTTPStatus(error.status_code).phrase}.")


def _allowed(request: Request, error: HTTPException) -> str:
    """All methods of the address: the framework names only those of the first route that has its path."""
    path = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(path)
    if not methods:
        return (error.headers or {}).get("Allow", "")
    return ", ".join(sorted({*map(str.upper, methods), *(["HEAD"] if "get" in methods else [])}))

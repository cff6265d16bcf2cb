"""What the service refuses, and the one shape in which it says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

Details = Sequence[Mapping[str, str]]
"""One `{field, message}` for each thing that is wrong with a request."""


class ServiceError(Exception):
    """A refusal: status, stable code, a sentence for a person, and what else belongs into headers and body."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Details | None = None,
        headers: Mapping[str, str] | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = dict(headers or {})
        self.extra = extra


class InvalidRequest(ServiceError):
    def __init__(self, message: str, details: Details | None = None, code: str = "INVALID_REQUEST") -> None:
        super().__init__(400, code, message, details)


class MalformedJson(ServiceError):
    def __init__(self) -> None:
        super().__init__(400, "MALFORMED_JSON", "The request body is not valid JSON.")


class Unauthorized(ServiceError):
    def __init__(self) -> None:
        message = "The access token or API key is missing, invalid or expired."
        super().__init__(401, "UNAUTHORIZED", message, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(ServiceError):
    def __init__(self, message: str = "Your role does not permit this.", code: str = "FORBIDDEN") -> None:
        super().__init__(403, code, message)


class ApiAccessDisabled(Forbidden):
    def __init__(self) -> None:
        super().__init__("This organization's API keys are turned off.", "API_ACCESS_DISABLED")


class NotFound(ServiceError):
    def __init__(self, message: str = "There is nothing at this address.", code: str = "NOT_FOUND") -> None:
        super().__init__(404, code, message)


class MethodNotAllowed(ServiceError):
    def __init__(self, allowed: str) -> None:
        message = "This address does not take this method."
        super().__init__(405, "METHOD_NOT_ALLOWED", message, headers={"Allow": allowed})


class PayloadTooLarge(ServiceError):
    def __init__(self, limit: int) -> None:
        super().__init__(413, "PAYLOAD_TOO_LARGE", f"The request body is larger than {limit // 2**20} MiB.")


class UnsupportedMediaType(ServiceError):
    def __init__(self) -> None:
        super().__init__(415, "UNSUPPORTED_MEDIA_TYPE", "The request body has to be application/json in UTF-8.")


class HeadersTooLarge(ServiceError):
    def __init__(self, limit: int) -> None:
        super().__init__(431, "HEADERS_TOO_LARGE", f"The request headers are larger than {limit // 2**10} KiB.")


class Unavailable(ServiceError):
    def __init__(self, code: str, message: str, retry_after: int, **extra: Any) -> None:
        super().__init__(503, code, message, headers={"Retry-After": str(retry_after)}, **extra)


class DatabaseUnavailable(Unavailable):
    def __init__(self) -> None:
        super().__init__("DATABASE_UNAVAILABLE", "The database cannot be used right now.", retry_after=5)


class ShuttingDown(Unavailable):
    def __init__(self) -> None:
        super().__init__("SHUTTING_DOWN", "The service is being stopped or restarted: try again.", retry_after=5)


class InternalError(ServiceError):
    def __init__(self) -> None:
        super().__init__(500, "INTERNAL_ERROR", "Something went wrong on our side.")


def envelope(error: ServiceError, request_id: str) -> dict[str, Any]:
    """The body of an error response."""
    body = {
        "error": HTTPStatus(error.status).phrase,
        "message": error.message,
        "code": error.code,
        "request_id": request_id,
        **error.extra,
    }
    return body | {"details": error.details} if error.details else body

"""Requests in, JSON and redirects out, as the wire contract has them."""

import json
import re
from datetime import date
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.auth.embedded.errors import IdentityError, bad_json
from app.auth.embedded.identity import Identity
from app.auth.embedded.redirects import allowed
from app.auth.embedded.schemas import Params

P = TypeVar("P", bound=Params)
MAXIMUM_BODY = 1024 * 1024
VERSION_HEADER = "X-Supabase-Api-Version"
NEW_ERRORS = "2024-01-01"


async def read(request: Request, shape: type[P], *, optional: bool = False) -> P:
    body = await _body(request)
    if optional and not body.strip():
        return shape()
    try:
        return shape.model_validate(_parsed(body))
    except ValidationError as fault:
        raise bad_json(_place(fault)) from fault


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAXIMUM_BODY:
            sentence = f"Request body too large (max {MAXIMUM_BODY} bytes)"
            raise IdentityError(413, "request_entity_too_large", sentence)
    return bytes(body)


def _parsed(body: bytes) -> Any:
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as fault:
        raise bad_json("the text is not valid JSON") from fault
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _place(fault: ValidationError) -> str:
    first = fault.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'the body'} has the wrong type"


def bearer(request: Request) -> str | None:
    match = re.fullmatch(r"(?i)bearer\s+(\S+)\s*", request.headers.get("authorization", ""))
    return match.group(1) if match else None


def redirect_target(request: Request, identity: Identity, wanted: str = "") -> str:
    wanted = request.headers.get("redirect_to") or request.query_params.get("redirect_to") or wanted
    return allowed(identity.settings, wanted)


def address(request: Request) -> str | None:
    return request.client.host if request.client else None


def go(url: str, status: int) -> Response:
    return Response(status_code=status, headers={"location": url, "cache-control": "no-store"}, media_type="text/html")


def refusal(request: Request, error: IdentityError) -> Response:
    """The error's JSON in the shape that the client's version asks for."""
    extra = dict(error.extra)
    retry_after = extra.pop("retry_after", None)
    headers = {"x-sb-error-code": error.code} | ({"retry-after": str(retry_after)} if retry_after else {})
    if _wants_new_errors(request):
        headers[VERSION_HEADER] = NEW_ERRORS
        return JSONResponse({"code": error.code, "message": error.message, **extra}, error.status, headers)
    old = {"code": error.status, "error_code": error.code, "msg": error.message, **extra}
    return JSONResponse(old, error.status, headers)


def _wants_new_errors(request: Request) -> bool:
    try:
        return date.fromisoformat(request.headers.get(VERSION_HEADER, "")) >= date.fromisoformat(NEW_ERRORS)
    except ValueError:
        return False

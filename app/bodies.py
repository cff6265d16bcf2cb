"""Request bodies: JSON by the letter, read after the credentials are known to be good."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from email.message import Message
from typing import Any, TypeVar

import orjson
from fastapi import Request
from pydantic import BaseModel, ValidationError

from app.context import context_of
from app.error_handlers import details_of
from app.errors import InvalidRequest, MalformedJson, UnsupportedMediaType

Model = TypeVar("Model", bound=BaseModel)
CodeOf = Callable[[Sequence[Any]], str]
"""Which code the errors of a validation amount to."""

LARGE = 2**18
"""Bytes from which on parsing would hold up other requests."""


PROMPT = 0.5
"""Seconds: who takes longer to send a body may have lost, meanwhile, what they showed before it."""
MANY, MOST = 500_000, 200_000
"""Brackets anywhere in a body from which on they are counted outside of strings, and how many may be there."""
STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"')


async def json_media_type(request: Request) -> None:
    """Refuses a body that is no JSON by its own account; a router's first dependency."""
    if request.method not in ("POST", "PUT", "PATCH"):
        return
    content_type = Message()
    content_type["Content-Type"] = request.headers.get("content-type", "")
    charset = str(content_type.get_param("charset", "utf-8")).lower()
    if content_type.get_content_type() != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType


def invalid_request(_: Sequence[Any]) -> str:
    return "INVALID_REQUEST"


def body(model: type[Model], code_of: CodeOf = invalid_request) -> Callable[[Request], Awaitable[Model]]:
    """A dependency that gives the body as the model."""

    async def read(request: Request) -> Model:
        started = time.monotonic()
        raw = await request.body()
        if time.monotonic() - started > PROMPT:
            await context_of(request.scope).check_again()
        work = (lambda: _validate(model, raw, code_of)) if len(raw) > LARGE else None
        return await asyncio.to_thread(work) if work else _validate(model, raw, code_of)

    return read


def _validate(model: type[Model], raw: bytes, code_of: CodeOf) -> Model:
    try:
        return model.model_validate(parse(raw))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise InvalidRequest("The request body is not valid.", details_of(found), code_of(found)) from None


def parse(raw: bytes) -> dict[str, Any]:
    """A JSON object without NaN, Infinity, lone surrogates (which orjson refuses), names given twice and NUL."""
    if _brackets(raw) > MANY and _brackets(STRING.sub(b"", raw)) > MOST:
        raise InvalidRequest("The request body has too many objects and arrays.")
    try:
        value = orjson.loads(raw)
        json.loads(raw, object_pairs_hook=_refuse_repeated_names, parse_int=_refuse_long)
    except (ValueError, RecursionError):
        raise MalformedJson from None
    if not isinstance(value, dict):
        raise InvalidRequest("The request body has to be a JSON object.")
    if b"\\u0000" in raw and contains_nul(value):
        raise InvalidRequest("The request body contains a NUL character.")
    return value


def _brackets(raw: bytes) -> int:
    return raw.count(b"[") + raw.count(b"{")


def _refuse_long(digits: str) -> None:
    """A whole number of more than 64 bits would come back as another one."""
    if not -(2**63) <= int(digits) < 2**64:
        raise ValueError("a number of more than 64 bits")


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name is given twice")


def contains_nul(value: Any) -> bool:
    """Without recursion: a body may be nested deeper than Python's stack."""
    left = [value]
    while left:
        match left.pop():
            case str(text) if "\0" in text:
                return True
            case dict(members):
                left += [*members.keys(), *members.values()]
            case list(items):
                left += items
    return False

"""Answers against the description, which says what is there at least: in tests there is nothing more, at any level."""

from functools import cache
from typing import Any

import httpx
from jsonschema import Draft202012Validator
from starlette.routing import compile_path

from app.config import Settings
from app.main import create_app

JSON = "application/json"


async def assert_is_as_described(response: httpx.Response) -> None:
    """What succeeds and is JSON; not what nobody describes, the identity server before all."""
    path = template(response.request.url.path)
    kind = response.headers.get("content-type", "")
    if not response.is_success or response.request.method == "HEAD" or kind != JSON or path is None:
        return
    await response.aread()
    checker(path, response.request.method.lower(), str(response.status_code)).validate(response.json())


def template(path: str) -> str | None:
    """The described path that is meant, a literal one before all."""
    return next((one for one, pattern in _patterns() if pattern.match(path)), None)


@cache
def checker(path: str, method: str, status: str) -> Draft202012Validator:
    said = _description()
    schema = said["paths"][path][method]["responses"][status]["content"][JSON]["schema"]
    return Draft202012Validator({**schema, "components": closed(said["components"])})


def closed(schema: Any) -> Any:
    """The same without room for members that are not named."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    only = {"additionalProperties": False} if "properties" in schema else {}
    return only | {name: closed(one) for name, one in schema.items()}


@cache
def _patterns() -> list[tuple[str, Any]]:
    paths = sorted(_description()["paths"], key=lambda path: path.count("{"))
    return [(path, compile_path(path)[0]) for path in paths]


@cache
def _description() -> dict[str, Any]:
    return create_app(Settings(_env_file=None)).openapi()

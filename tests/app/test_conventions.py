"""What holds for every request: errors of one shape, the order of checks, ids, sizes, and headers."""

import json
import logging
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from app.middleware import LARGEST_BODY
from app.organizations.service import Organization
from pipelines.errors import IndexUnavailable
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import created, page

JSON = {"Content-Type": "application/json"}
DOCUMENTS, QUERY = "/api/documents", "/api/ai/query"


def assert_is_error(response: httpx.Response, status: int, code: str) -> None:
    body = response.json()
    assert (response.status_code, body["code"]) == (status, code), body
    assert {"error", "message", "code", "request_id"} <= set(body)
    assert body["request_id"] == response.headers["x-request-id"]
    assert body["error"] == response.reason_phrase
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/nowhere", "/api/nowhere", "/docs", "/redoc", "/api/documents/", "/api/ai"])
async def test_unknown_paths(anonymous: httpx.AsyncClient, path: str) -> None:
    """An unknown path is 404 in the shape of every error, credentials or not."""
    assert_is_error(await anonymous.get(path), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PATCH", "/api/documents", "DELETE, GET, HEAD, POST"),
        ("POST", "/api/documents/1", "DELETE, GET, HEAD, PUT"),
        ("GET", "/api/ai/query", "POST"),
        ("POST", "/healthz", "GET, HEAD"),
    ],
)
async def test_other_methods(anonymous: httpx.AsyncClient, method: str, path: str, allow: str) -> None:
    """A method that an address does not take is 405 with all that it takes."""
    response = await anonymous.request(method, path)
    assert_is_error(response, 405, "METHOD_NOT_ALLOWED")
    assert response.headers["allow"] == allow


@pytest.mark.parametrize("path", ["/healthz", "/readyz", DOCUMENTS, "/nowhere", QUERY])
async def test_head(client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    """HEAD is answered as GET is, without the body, and logged as what it is."""
    caplog.set_level(logging.INFO, "app.access")
    head, get = await client.head(path), await client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-length"] == get.headers["content-length"]
    first, second = (json.loads(one.message) for one in caplog.records if one.name == "app.access")
    assert (first["method"], second["method"]) == ("HEAD", "GET")
    assert first["route"] == second["route"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"nonsense",
        b"{'question': 'x'}",
        b'{"question": NaN}',
        b'{"question": Infinity}',
        b'{"question": -Infinity}',
        b'{"question": 1e999}',
        b'{"question": "\\ud800"}',
        b'{"question": "\xed\xa0\x80"}',
        b'{"question": "\xff"}',
        b'{"question": "\0"}',
        b'\xef\xbb\xbf{"question": "x"}',
        b"[" * 100_000,
        b'{"question": "x", "question": "y"}',
        b'{"question": "x", "options": {"stream": true, "stream": false}}',
    ],
)
async def test_malformed_json(client: httpx.AsyncClient, raw: bytes) -> None:
    """What is not JSON by the letter is 400, and never an error of ours."""
    for path in (DOCUMENTS, QUERY):
        assert_is_error(await client.post(path, content=raw, headers=JSON), 400, "MALFORMED_JSON")


@pytest.mark.parametrize(
    "raw", [b"[]", b"null", b'"x"', b"5", b'{"question": "a\\u0000b"}', b'{"question": "x", "\\u0000": {}}']
)
async def test_json_that_is_no_object_or_has_nul(client: httpx.AsyncClient, raw: bytes) -> None:
    """A body is an object, and no text in it has a NUL character."""
    assert_is_error(await client.post(QUERY, content=raw, headers=JSON), 400, "INVALID_REQUEST")


async def test_nul_deep_in_metadata(client: httpx.AsyncClient) -> None:
    """NUL is found wherever it is; the letters backslash and u0000 are not NUL."""
    refused = await client.post(DOCUMENTS, json=page(metadata={"a": [{"b": "\0"}]}))
    assert_is_error(refused, 400, "INVALID_REQUEST")
    await created(client, metadata={"a": "\\u0000"})


async def test_nul_deeper_than_the_stack(client: httpx.AsyncClient) -> None:
    """A body nested as deep as JSON may be is searched for NUL without running out of stack."""
    for depth in (300, 900):
        raw = b'{"question": "x", "a": ' + b"[" * depth + b'"\\u0000"' + b"]" * depth + b"}"
        assert (await client.post(QUERY, content=raw, headers=JSON)).status_code == 400


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
async def test_other_media_types(client: httpx.AsyncClient, anonymous: httpx.AsyncClient, kind: str | None) -> None:
    """A body that is not declared as JSON is 415, before the credentials are looked at."""
    headers = {"Content-Type": kind} if kind else {}
    for caller in (client, anonymous):
        assert_is_error(await caller.post(QUERY, content=b"{}", headers=headers), 415, "UNSUPPORTED_MEDIA_TYPE")


async def test_media_type_with_charset(client: httpx.AsyncClient) -> None:
    """UTF-8 may be said."""
    headers = {"Content-Type": "Application/JSON; charset=UTF-8"}
    response = await client.post(QUERY, content=b'{"question": "x"}', headers=headers)
    assert response.status_code == 200


@pytest.mark.parametrize("kind", ["application/json; version=1", 'application/json; charset="utf-8"; x=1'])
async def test_media_type_with_other_parameters(client: httpx.AsyncClient, kind: str) -> None:
    """Parameters that mean nothing to us are no reason to refuse (RFC 9110)."""
    response = await client.post(QUERY, content=b'{"question": "x"}', headers={"Content-Type": kind})
    assert response.status_code == 200


async def test_accounts_take_small_bodies(anonymous: httpx.AsyncClient) -> None:
    """Who needs no credentials may send a mebibyte."""
    response = await anonymous.post("/api/auth/login", content=b"x" * (2**20 + 1), headers=JSON)
    assert_is_error(response, 413, "PAYLOAD_TOO_LARGE")


async def test_a_body_of_brackets(client: httpx.AsyncClient) -> None:
    """Millions of empty arrays are refused before they fill the memory; brackets in a text are text."""
    empty = b'{"question": "x", "a": [' + b"[]," * 600_000 + b"[]]}"
    assert_is_error(await client.post(QUERY, content=empty, headers=JSON), 400, "INVALID_REQUEST")
    await created(client, content="[{" * 400_000 + ' "quoted" heron')


@pytest.mark.parametrize("number", ["123456789012345678901234567890", "-9223372036854775809"])
async def test_numbers_that_would_change(client: httpx.AsyncClient, number: str) -> None:
    """A whole number of more than 64 bits is refused, not rounded."""
    raw = b'{"question": "x", "a": ' + number.encode() + b"}"
    assert_is_error(await client.post(QUERY, content=raw, headers=JSON), 400, "MALFORMED_JSON")


async def test_announced_size(anonymous: httpx.AsyncClient) -> None:
    """A body that announces more than 32 MiB is refused before anything else."""
    response = await anonymous.post(QUERY, content=b"x", headers={**JSON, "Content-Length": str(LARGEST_BODY + 1)})
    assert_is_error(response, 413, "PAYLOAD_TOO_LARGE")


async def test_actual_size(client: httpx.AsyncClient) -> None:
    """A body that turns out to be larger than 32 MiB is refused while it is read."""

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(33):
            yield b" " * 2**20

    assert_is_error(await client.post(QUERY, content=pieces(), headers=JSON), 413, "PAYLOAD_TOO_LARGE")


async def test_credentials_come_before_the_body(anonymous: httpx.AsyncClient) -> None:
    """Who is nobody hears 401, whatever is wrong with the request besides."""
    for response in (
        await anonymous.post(QUERY, content=b"{", headers=JSON),
        await anonymous.get("/api/documents?limit=0"),
        await anonymous.get("/api/documents/nonsense"),
    ):
        assert_is_error(response, 401, "UNAUTHORIZED")
        assert response.headers["www-authenticate"] == "Bearer"


async def test_roles_come_before_the_body(member: httpx.AsyncClient) -> None:
    """Who may not hears 403 before a body is read."""
    assert_is_error(await member.post(DOCUMENTS, content=b"{", headers=JSON), 403, "FORBIDDEN")


async def test_body_comes_before_existence(client: httpx.AsyncClient) -> None:
    """An invalid update of a document that does not exist is invalid."""
    assert_is_error(await client.put(f"{DOCUMENTS}/nonsense", json={"title": 5}), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("given", ["abc-1.2_3", "x" * 128])
async def test_request_ids_are_taken(anonymous: httpx.AsyncClient, given: str) -> None:
    """A request that has an id keeps it."""
    response = await anonymous.get("/healthz", headers={"X-Request-Id": given})
    assert response.headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a\tb", "ü".encode()])
async def test_request_ids_are_minted(anonymous: httpx.AsyncClient, given: str | bytes) -> None:
    """A request without a usable id gets one."""
    response = await anonymous.get(
        "/healthz", headers=[(b"X-Request-Id", given if isinstance(given, bytes) else given.encode())]
    )
    assert re.fullmatch(r"[0-9a-f-]{36}", response.headers["x-request-id"])
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_unforeseen_errors(
    client: httpx.AsyncClient,
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What nobody foresaw is 500: the traceback goes to the log and nothing of it to the client."""

    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError("SELECT secret FROM here")

    monkeypatch.setattr(knowledge, "list", fails)
    response = await client.get(DOCUMENTS)
    assert_is_error(response, 500, "INTERNAL_ERROR")
    assert "secret" not in response.text
    assert "SELECT secret FROM here" in caplog.text


async def test_access_log(
    client: httpx.AsyncClient, organization: Organization, caplog: pytest.LogCaptureFixture
) -> None:
    """Each request is one line of JSON with its id, organization, route, status and time; no secrets, no addresses."""
    caplog.set_level(logging.INFO, "app.access")
    await client.get(f"{DOCUMENTS}/nonsense", headers={"X-Request-Id": "mine"})
    [line] = [json.loads(one.message) for one in caplog.records if one.name == "app.access"]
    assert line.pop("ms") >= 0
    assert line == {
        "request_id": "mine",
        "organization_id": str(organization.id),
        "method": "GET",
        "route": "/api/documents/{document_id}",
        "status": 404,
    }


async def test_health(anonymous: httpx.AsyncClient, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process says that it lives, and names what it lacks to be ready."""
    assert (await anonymous.get("/healthz")).status_code == 200
    ready = await anonymous.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]) == (200, {"database": "ok", "index": "ok", "identity": "ok"})

    async def fails() -> None:
        raise IndexUnavailable

    monkeypatch.setattr(knowledge, "ping", fails)
    response = await anonymous.get("/readyz")
    assert_is_error(response, 503, "NOT_READY")
    assert response.json()["checks"] == {"database": "ok", "index": "failed", "identity": "ok"}
    assert response.headers["retry-after"]


async def test_validation_names_no_class_of_ours(client: httpx.AsyncClient) -> None:
    """What should be an object is called one."""
    response = await client.post(QUERY, json={"question": "x", "options": 5})
    assert response.json()["details"] == [{"field": "options", "message": "Input should be an object."}]
    response = await client.post(DOCUMENTS, json=page(metadata=5))
    assert response.json()["details"] == [{"field": "metadata", "message": "Input should be an object."}]


async def test_description(anonymous: httpx.AsyncClient) -> None:
    """The description resolves in itself, has no 422, and names both ways to authenticate."""
    said = (await anonymous.get("/openapi.json")).json()
    text = json.dumps(said)
    for name in set(re.findall(r'"#/components/schemas/(\w+)"', text)):
        assert name in said["components"]["schemas"]
    assert '"422"' not in text
    assert set(said["components"]["securitySchemes"]) == {"ApiKey", "Bearer"}
    stream = said["paths"][QUERY]["post"]["responses"]["200"]["content"]
    assert set(stream) == {"application/json", "text/event-stream"}
    for path, operations in said["paths"].items():
        for operation in operations.values():
            if not path.startswith("/api/auth/"):
                assert bool(operation["security"]) == path.startswith("/api/")

"""What holds for every endpoint: the one shape of refusals, request ids, credentials, the order of checks, JSON."""

from __future__ import annotations

import http.client
import json
import re
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.conftest import document, refused

QUERY = "/api/ai/query"
NO_ID = "01234567-89ab-7def-8123-456789abcdef"
MEBIBYTE = 2**20


@pytest.mark.parametrize(
    "path", ["/", "/nope", "/api", "/api/nope", "/api/documents/", "/docs", "/redoc", "/%00", "/a/../b"]
)
def test_unknown_path(nobody: httpx.Client, path: str) -> None:
    """A path that is not served answers 404 in the one shape."""
    refused(nobody.get(path), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/documents", {"GET", "POST", "DELETE"}),
        ("POST", f"/api/documents/{NO_ID}", {"GET", "PUT", "DELETE"}),
        ("GET", QUERY, {"POST"}),
        ("DELETE", "/healthz", {"GET"}),
    ],
)
def test_wrong_method(client: httpx.Client, method: str, path: str, allowed: set[str]) -> None:
    """A method that a path does not take answers 405 and names those that it takes."""
    response = client.request(method, path)
    refused(response, 405, "METHOD_NOT_ALLOWED")
    assert {one.strip() for one in response.headers["allow"].split(",")} - {"HEAD"} == allowed


@pytest.mark.parametrize("given", ["a", "Z.9_-x", "x" * 128])
def test_request_id_is_taken(nobody: httpx.Client, given: str) -> None:
    """A well-formed X-Request-Id comes back, in header and body."""
    response = nobody.get("/nope", headers={"X-Request-Id": given})
    assert refused(response, 404)["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", "a;b", "<script>"])
def test_request_id_is_minted(nobody: httpx.Client, given: str) -> None:
    """A malformed X-Request-Id is replaced by one of ours."""
    minted = nobody.get("/healthz", headers={"X-Request-Id": given}).headers["x-request-id"]
    assert minted != given
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", minted)


def test_probes(nobody: httpx.Client) -> None:
    """Liveness and readiness are open; readiness names each dependency."""
    assert nobody.get("/healthz").status_code == 200
    ready = nobody.get("/readyz")
    assert ready.status_code == 200
    assert {"database", "index"} <= set(ready.json()["checks"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-API-Key": ""},
        {"X-API-Key": "kb_short"},
        {"X-API-Key": "kb_" + "0" * 46},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer x.y.z"},
        {"Authorization": "Basic a2I6a2I="},
        {"Authorization": "Bearer kb_" + "0" * 46},
        {"X-API-Key": "kb_\xe9\xff".encode("latin-1")},
    ],
)
def test_bad_credentials(nobody: httpx.Client, headers: dict[str, str | bytes]) -> None:
    """Missing, malformed and unknown credentials answer 401 and say what is accepted."""
    response = nobody.get("/api/documents", headers=headers)
    refused(response, 401, "UNAUTHORIZED")
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_key_in_either_header(nobody: httpx.Client, keys: tuple[str, str]) -> None:
    """An API key is accepted as X-API-Key and as bearer."""
    for headers in (
        {"X-API-Key": keys[0]},
        {"Authorization": f"Bearer {keys[0]}"},
        {"Authorization": f"bearer {keys[0]}"},
    ):
        assert nobody.get("/api/documents", headers=headers).status_code == 200


def test_api_key_header_decides(nobody: httpx.Client, keys: tuple[str, str]) -> None:
    """When both headers come, X-API-Key decides."""
    bad = "kb_" + "0" * 46
    assert nobody.get("/api/documents", headers={"X-API-Key": keys[0], "Authorization": f"Bearer {bad}"}).is_success
    refused(nobody.get("/api/documents", headers={"X-API-Key": bad, "Authorization": f"Bearer {keys[0]}"}), 401)


def test_media_type_before_credentials(nobody: httpx.Client) -> None:
    """The media type is checked before the credentials."""
    response = nobody.post(QUERY, content=b"question=1", headers={"Content-Type": "application/x-www-form-urlencoded"})
    refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_media_types(client: httpx.Client, media_type: str) -> None:
    """JSON in UTF-8 is accepted however it is written."""
    assert client.post(QUERY, content=b'{"question": "leave?"}', headers={"Content-Type": media_type}).is_success


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/json; charset=latin-1", "multipart/form-data; boundary=x"]
)
def test_other_media_types(client: httpx.Client, media_type: str) -> None:
    """Other media types answer 415."""
    response = client.post(QUERY, content=b'{"question": "leave?"}', headers={"Content-Type": media_type})
    refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_size_before_credentials(nobody: httpx.Client) -> None:
    """An announced size over 32 MiB answers 413, before any credentials are looked at."""
    body = b'{"question": "' + b"a" * (33 * MEBIBYTE) + b'"}'
    refused(nobody.post(QUERY, content=body, headers={"Content-Type": "application/json"}), 413, "PAYLOAD_TOO_LARGE")


def test_size_is_counted(client: httpx.Client) -> None:
    """A body that does not announce its size is counted while it is read."""
    chunks = (b" " * MEBIBYTE for _ in range(33))
    refused(client.post(QUERY, content=chunks, headers={"Content-Type": "application/json"}), 413, "PAYLOAD_TOO_LARGE")


def test_large_body_is_accepted(client: httpx.Client) -> None:
    """A body of just under 32 MiB is not too large: what is wrong with it is told."""
    body = b'{"question": "' + b"a" * (32 * MEBIBYTE - 100) + b'"}'
    refused(client.post(QUERY, content=body, headers={"Content-Type": "application/json"}), 400, "INVALID_REQUEST")


def test_credentials_before_body(nobody: httpx.Client) -> None:
    """Credentials are checked before the body."""
    refused(nobody.post(QUERY, content=b"{", headers={"Content-Type": "application/json"}), 401)


def test_credentials_before_parameters(nobody: httpx.Client) -> None:
    """Credentials are checked before query parameters."""
    refused(nobody.get("/api/documents?limit=0"), 401)


def test_body_before_existence(client: httpx.Client) -> None:
    """The body is checked before the document is looked for."""
    refused(client.put(f"/api/documents/{NO_ID}", json={"title": ""}), 400, "INVALID_REQUEST")


def test_existence_before_version(client: httpx.Client) -> None:
    """A document is looked for before its version is compared."""
    response = client.put(f"/api/documents/{NO_ID}", json={}, headers={"If-Match": '"9"'})
    refused(response, 404, "DOCUMENT_NOT_FOUND")


DEEP = b'{"question": "x", "a": ' + b"[" * 900 + b'"\\u0000"' + b"]" * 900 + b"}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "MALFORMED_JSON"),
        (b"{", "MALFORMED_JSON"),
        (b'{"question": "x"} x', "MALFORMED_JSON"),
        (b"{'question': 'x'}", "MALFORMED_JSON"),
        (b'{"question": "x", "n": NaN}', "MALFORMED_JSON"),
        (b'{"question": "x", "n": -Infinity}', "MALFORMED_JSON"),
        (b'{"question": "x", "n": 1e999}', "MALFORMED_JSON"),
        (b'{"question": "\\ud800"}', "MALFORMED_JSON"),
        (b'{"question": "\xff"}', "MALFORMED_JSON"),
        (b'{"question": "\xed\xa0\x80"}', "MALFORMED_JSON"),
        (b"[" * 100_000, "MALFORMED_JSON"),
        (b'{"a":' * 100_000, "MALFORMED_JSON"),
        (b'{"question": "a\\u0000b"}', None),
        (b'{"question": "x", "a\\u0000": 1}', None),
        (DEEP, None),
        (b'{"question": "x", "question": "y"}', "MALFORMED_JSON"),
        (b'{"question": "x", "options": {"stream": true, "stream": false}}', "MALFORMED_JSON"),
        (b"[]", None),
        (b"null", None),
        (b'"question"', None),
        (b"7", None),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else value,
)
def test_json_by_the_letter(client: httpx.Client, body: bytes, code: str | None) -> None:
    """What is no JSON object, or has what no text can have, answers 400."""
    refused(client.post(QUERY, content=body, headers={"Content-Type": "application/json"}), 400, code)


def test_unknown_members(client: httpx.Client, source: str) -> None:
    """Unknown members of a body are ignored."""
    assert client.post("/api/documents", json=document(source, colour="red")).status_code == 201
    assert client.post(QUERY, json={"question": "leave?", "colour": "red", "options": {"shade": 1}}).status_code == 200


def test_no_internals(client: httpx.Client) -> None:
    """A refusal tells nothing of what is inside."""
    texts = [
        client.get("/api/documents?limit=x").text,
        client.get("/api/documents?cursor=x").text,
        client.post(QUERY, json={"question": 1, "filters": 2, "options": 3}).text,
    ]
    for text in texts:
        assert not re.search(r"Traceback|sqlalchemy|pydantic|\.py|SELECT|Error\(", text)


def test_nul_in_parameters(client: httpx.Client) -> None:
    """A NUL character in a parameter is no server error."""
    for path in ("?source=a%00b", "?external_id=%00", "?cursor=%00", "?status=%00", "/%00"):
        assert client.get(f"/api/documents{path}").status_code in (400, 404)
    assert client.delete("/api/documents?source=a%00").status_code in (400, 404)


def test_early_refusal_keeps_the_connection_readable(url: str) -> None:
    """A client that sends a large body to the end can read the refusal that was sent long before."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request(
        "POST", "/api/documents", body=b"x" * (20 * MEBIBYTE), headers={"Content-Type": "application/json"}
    )
    assert connection.getresponse().status == 401
    connection.close()


def test_half_a_request(url: str) -> None:
    """A client that leaves in the middle of its body harms nobody."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as one:
        one.sendall(
            b"POST /api/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        )
    assert httpx.get(f"{url}/healthz").status_code == 200


def test_openapi(nobody: httpx.Client) -> None:
    """The description names every endpoint, both ways to authenticate, and no 422."""
    described = nobody.get("/openapi.json").json()
    assert {"/api/documents", "/api/documents/{document_id}", "/api/documents/batch", QUERY, "/api/ai/search"} <= set(
        described["paths"]
    )
    schemes = {
        (scheme["type"], scheme.get("scheme") or scheme.get("name"))
        for scheme in described["components"]["securitySchemes"].values()
    }
    assert schemes == {("apiKey", "X-API-Key"), ("http", "bearer")}
    assert '"422"' not in json.dumps(described)
    operation = described["paths"][QUERY]["post"]
    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}
    assert {"400", "401", "403", "413", "415", "503"} <= set(operation["responses"])
    assert operation["requestBody"]["content"]["application/json"]
    assert operation["security"]

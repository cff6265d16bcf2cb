"""The life of a document over HTTP."""

from __future__ import annotations

import re
import uuid
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import Json, document, refused

DOCUMENTS = "/api/documents"
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CREATED = {"id", "source", "external_id", "title", "indexed_at", "status"}
LISTED = CREATED | {"url", "metadata", "created_at", "updated_at"}
POISON = "\ud800"


def create(client: httpx.Client, source: str, external_id: str = "1", **changed: Any) -> Json:
    response = client.post(DOCUMENTS, json=document(source, external_id, **changed))
    assert response.status_code == 201, response.text
    made: Json = response.json()
    return made


def found(client: httpx.Client, question: str, source: str) -> list[str]:
    """The external ids that a search in one source gives."""
    body = {"question": question, "filters": {"sources": [source]}}
    return [hit["external_id"] for hit in client.post("/api/ai/search", json=body).json()["results"]]


def test_create(client: httpx.Client, source: str) -> None:
    """A created document is answered with six fields, indexed, and has a UUID that sorts by time."""
    made = create(client, source, "a/b c?", title=" Title ")
    assert set(made) == CREATED
    assert (made["source"], made["external_id"], made["title"], made["status"]) == (
        source,
        "a/b c?",
        " Title ",
        "indexed",
    )
    assert re.fullmatch(INSTANT, made["indexed_at"])
    assert uuid.UUID(made["id"]).version == 7


def test_read_your_writes(client: httpx.Client, source: str) -> None:
    """What a create, an update or a delete was answered for is what the next question finds."""
    made = create(client, source, content="The blue heron nests by the river.")
    assert found(client, "heron", source) == ["1"]
    client.put(f"{DOCUMENTS}/{made['id']}", json={"content": "The red fox sleeps under the hedge."})
    answer = client.post("/api/ai/search", json={"question": "fox", "filters": {"sources": [source]}}).json()
    assert answer["results"][0]["snippet"] == "The red fox sleeps under the hedge."
    assert client.delete(f"{DOCUMENTS}/{made['id']}").status_code == 204
    assert found(client, "fox", source) == []


def test_get(client: httpx.Client, source: str) -> None:
    """A document comes back whole, as it was given."""
    given = {
        "url": "https://wiki.example.com/1?a=b#c",
        "metadata": {"author": "Ada", "tags": ["a", {"b": None}], "n": 1.5},
    }
    content = "# Überschrift\r\n\n日本語 العربية \t👩‍👩‍👧 text \u2028 end "
    made = create(client, source, content=content, **given)
    response = client.get(f"{DOCUMENTS}/{made['id']}")
    whole = response.json()
    assert LISTED | {"content"} <= set(whole)
    assert (whole["content"], whole["url"], whole["metadata"]) == (content, given["url"], given["metadata"])
    assert re.fullmatch(INSTANT, whole["created_at"])
    assert re.fullmatch(INSTANT, whole["updated_at"])
    assert re.fullmatch(r'"[^"]+"', response.headers["etag"])


def test_exists(client: httpx.Client, source: str) -> None:
    """The same source and external id again is 409 with the id of the one that is there."""
    made = create(client, source)
    body = refused(client.post(DOCUMENTS, json=document(source, title="Other")), 409, "DOCUMENT_EXISTS")
    assert body["id"] == made["id"]


def test_upsert(client: httpx.Client, source: str) -> None:
    """With upsert the one that is there is updated; what is not named stays."""
    made = create(client, source, url="https://example.com/", metadata={"a": 1})
    response = client.post(f"{DOCUMENTS}?upsert=true", json=document(source, title="New"))
    assert response.status_code == 200
    assert response.json()["id"] == made["id"]
    whole = client.get(f"{DOCUMENTS}/{made['id']}").json()
    assert (whole["title"], whole["url"], whole["metadata"]) == ("New", "https://example.com/", {"a": 1})


def test_upsert_creates(client: httpx.Client, source: str) -> None:
    """With upsert a document that was not there is created: 201."""
    assert client.post(f"{DOCUMENTS}?upsert=true", json=document(source)).status_code == 201


@pytest.mark.parametrize(
    "changed",
    [
        {"source": ""},
        {"source": "a b"},
        {"source": "a/b"},
        {"source": "ä"},
        {"source": "a\n"},
        {"source": "s" * 101},
        {"source": 1},
        {"source": None},
        {"external_id": ""},
        {"external_id": "  \t\u3000"},
        {"external_id": "x" * 513},
        {"external_id": 7},
        {"title": ""},
        {"title": " \n "},
        {"title": "x" * 501},
        {"title": ["x"]},
        {"content": ""},
        {"content": "\u2003"},
        {"content": "x" * 1_000_001},
        {"content": {"text": "x"}},
        {"content": "a\0b"},
        {"external_id": "\0"},
        {"url": ""},
        {"url": "ftp://example.com"},
        {"url": "javascript:alert(1)"},
        {"url": "example.com"},
        {"url": "https://"},
        {"url": "https://exa mple.com"},
        {"url": "https://example.com/" + "x" * 2048},
        {"url": 1},
        {"metadata": []},
        {"metadata": "x"},
        {"metadata": {"a": "\0"}},
        {"metadata": {"a": "x" * 16_384}},
        {"metadata": {"a": {"b": {"c": {"d": {"e": {}}}}}}},
        {"metadata": {"a": [[[[[]]]]]}},
    ],
    ids=lambda changed: repr(changed)[:40],
)
def test_limits(client: httpx.Client, source: str, changed: Json) -> None:
    """A field outside its limits is 400 and is named."""
    body = refused(client.post(DOCUMENTS, json={**document(source), **changed}), 400, "INVALID_REQUEST")
    if "\\u0000" not in repr(changed) and "\\x00" not in repr(changed):
        assert any(detail["field"].startswith(next(iter(changed))) for detail in body["details"])


@pytest.mark.parametrize("missing", ["source", "external_id", "title", "content"])
def test_required(client: httpx.Client, source: str, missing: str) -> None:
    """Each of the four required fields is required."""
    body = document(source)
    del body[missing]
    details = refused(client.post(DOCUMENTS, json=body), 400, "INVALID_REQUEST")["details"]
    assert [detail["field"] for detail in details] == [missing]


def test_lengths_are_code_points(client: httpx.Client, source: str) -> None:
    """Lengths count code points: the longest of everything is accepted."""
    longest = {
        "source": (source + "s" * 100)[:100],
        "external_id": "𝕏" * 512,
        "title": "👩" * 500,
        "url": "https://example.com/" + "x" * 2028,
        "metadata": {"a": {"b": {"c": {"d": [1, 2]}}}, "e": "x" * 16_000},
    }
    made = client.post(DOCUMENTS, json={**document(source), **longest})
    assert made.status_code == 201, made.text
    assert client.get(f"{DOCUMENTS}/{made.json()['id']}").json()["title"] == "👩" * 500


def test_metadata_bytes(client: httpx.Client, source: str) -> None:
    """Metadata may have 16,384 bytes of compact UTF-8 JSON, and not one more."""
    fits = {"a": "é" * ((16_384 - 8) // 2)}
    assert client.post(DOCUMENTS, json=document(source, metadata=fits)).status_code == 201
    refused(client.post(DOCUMENTS, json=document(source, "2", metadata={"a": fits["a"] + "éé"})), 400)


def test_update(client: httpx.Client, source: str) -> None:
    """An update changes what it names, leaves the rest, and answers with the whole document."""
    made = create(client, source, url="https://example.com/", metadata={"a": 1, "b": 2})
    path = f"{DOCUMENTS}/{made['id']}"
    response = client.put(
        path, json={"title": "New", "metadata": {"b": 3}, "source": "ignored", "external_id": "ignored"}
    )
    assert response.status_code == 200
    whole = response.json()
    assert (whole["title"], whole["metadata"], whole["url"]) == ("New", {"b": 3}, "https://example.com/")
    assert (whole["source"], whole["external_id"], whole["content"]) == (source, "1", document(source)["content"])
    assert client.put(path, json={"url": None}).json()["url"] is None


def test_empty_update(client: httpx.Client, source: str) -> None:
    """An update of nothing changes nothing, not even the version."""
    path = f"{DOCUMENTS}/{create(client, source)['id']}"
    before = client.get(path)
    response = client.put(path, json={})
    assert response.status_code == 200
    assert response.json() == before.json()
    assert response.headers["etag"] == before.headers["etag"]


@pytest.mark.parametrize(
    "body",
    [
        {"metadata": None},
        {"title": None},
        {"content": None},
        {"title": ""},
        {"content": " "},
        {"url": "x"},
        {"metadata": []},
    ],
    ids=repr,
)
def test_bad_update(client: httpx.Client, source: str, body: Json) -> None:
    """Only the address can be cleared; limits hold for updates, too."""
    refused(client.put(f"{DOCUMENTS}/{create(client, source)['id']}", json=body), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("name", ["01234567-89ab-7def-8123-456789abcdef", "1", "x" * 5000, "%F0%9F%A6%A9", "null"])
def test_unknown_document(client: httpx.Client, method: str, name: str) -> None:
    """An id that names nothing is 404, whatever it looks like."""
    refused(client.request(method, f"{DOCUMENTS}/{name}", json={}), 404, "DOCUMENT_NOT_FOUND")


def test_foreign_document(client: httpx.Client, other: httpx.Client, source: str) -> None:
    """A document of another organization is 404, and what is tried on it leaves it as it was."""
    path = f"{DOCUMENTS}/{create(client, source)['id']}"
    for method, body in (("GET", None), ("PUT", {"title": "Mine"}), ("DELETE", None)):
        refused(other.request(method, path, json=body), 404, "DOCUMENT_NOT_FOUND")
    refused(other.delete(DOCUMENTS, params={"source": source, "external_id": "1"}), 404, "DOCUMENT_NOT_FOUND")
    assert other.delete(DOCUMENTS, params={"source": source}).json() == {"deleted": 0}
    assert other.get(DOCUMENTS, params={"source": source}).json()["documents"] == []
    assert found(other, "leave", source) == []
    assert client.get(path).json()["title"] == "Parental leave"


def test_same_key_in_two_organizations(client: httpx.Client, other: httpx.Client, source: str) -> None:
    """Two organizations may have documents of the same source and external id."""
    assert create(client, source)["id"] != create(other, source)["id"]


def test_delete(client: httpx.Client, source: str) -> None:
    """A deleted document is gone: deleting it again is 404, creating it again is 201."""
    path = f"{DOCUMENTS}/{create(client, source)['id']}"
    response = client.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    refused(client.delete(path), 404, "DOCUMENT_NOT_FOUND")
    refused(client.get(path), 404, "DOCUMENT_NOT_FOUND")
    assert f"{DOCUMENTS}/{create(client, source)['id']}" != path


def test_delete_by_key(client: httpx.Client, source: str) -> None:
    """A source and an external id delete one document; a source alone deletes all of it and says how many."""
    for external_id in ("1", "2", "3"):
        create(client, source, external_id)
    one = {"source": source, "external_id": "2"}
    assert client.delete(DOCUMENTS, params=one).status_code == 204
    refused(client.delete(DOCUMENTS, params=one), 404, "DOCUMENT_NOT_FOUND")
    response = client.delete(DOCUMENTS, params={"source": source})
    assert (response.status_code, response.json()) == (200, {"deleted": 2})
    refused(client.delete(DOCUMENTS), 400, "INVALID_REQUEST")
    refused(client.delete(DOCUMENTS, params={"external_id": "1"}), 400, "INVALID_REQUEST")


def test_if_match(client: httpx.Client, source: str) -> None:
    """A write that names an older version is 412 and changes nothing; one that names the present version passes."""
    path = f"{DOCUMENTS}/{create(client, source)['id']}"
    old = client.get(path).headers["etag"]
    assert client.put(path, json={"title": "Second"}, headers={"If-Match": old}).status_code == 200
    for tag in (old, f"W/{old}", '"x"', "x", "", '"99999999999999999999"'):
        refused(client.put(path, json={"title": "Third"}, headers={"If-Match": tag}), 412, "PRECONDITION_FAILED")
        refused(client.delete(path, headers={"If-Match": tag}), 412, "PRECONDITION_FAILED")
    now = client.get(path)
    assert now.json()["title"] == "Second"
    assert client.put(path, json={"title": "Third"}, headers={"If-Match": f"{old}, {now.headers['etag']}"}).is_success
    assert client.delete(path, headers={"If-Match": "*"}).status_code == 204


def test_respond_async(client: httpx.Client, source: str) -> None:
    """A client that does not want to wait gets 202 and pending; the document is searchable soon after."""
    response = client.post(DOCUMENTS, json=document(source), headers={"Prefer": "wait=5, Respond-Async"})
    assert response.status_code == 202
    assert (response.json()["status"], response.json()["indexed_at"]) == ("pending", None)
    path = f"{DOCUMENTS}/{response.json()['id']}"
    for _ in range(200):
        if client.get(path).json()["status"] == "indexed":
            break
    assert found(client, "leave", source) == ["1"]
    response = client.put(path, json={"content": "Now eighteen weeks."}, headers={"Prefer": "respond-async"})
    assert response.status_code == 202
    assert response.json()["content"] == "Now eighteen weeks."


def test_list(client: httpx.Client, source: str) -> None:
    """The list is newest first, without content, twenty at a time."""
    made = [create(client, source, str(number))["id"] for number in range(23)]
    first = client.get(DOCUMENTS, params={"source": source}).json()
    assert set(first) == {"documents", "next_cursor"}
    assert set(first["documents"][0]) >= LISTED
    assert "content" not in first["documents"][0]
    second = client.get(DOCUMENTS, params={"source": source, "cursor": first["next_cursor"]}).json()
    assert second["next_cursor"] is None
    assert [one["id"] for one in first["documents"] + second["documents"]] == made[::-1]
    assert len(first["documents"]) == 20


def test_pages_hold_while_documents_come_and_go(client: httpx.Client, source: str) -> None:
    """Pages neither repeat nor skip what was there throughout."""
    made = [create(client, source, str(number))["id"] for number in range(6)]
    page = client.get(DOCUMENTS, params={"source": source, "limit": 2}).json()
    create(client, source, "later")
    client.delete(f"{DOCUMENTS}/{page['documents'][-1]['id']}")
    seen = [one["id"] for one in page["documents"]]
    while page["next_cursor"]:
        page = client.get(DOCUMENTS, params={"source": source, "limit": 2, "cursor": page["next_cursor"]}).json()
        seen += [one["id"] for one in page["documents"]]
    assert seen == made[::-1]


def test_list_filters(client: httpx.Client, source: str) -> None:
    """The list is narrowed by source, status and external id, all of which have to hold."""
    create(client, source, "1")
    create(client, source, "2")

    def listed(**narrowed: str) -> list[str]:
        return [
            one["external_id"]
            for one in client.get(DOCUMENTS, params={"source": source, **narrowed}).json()["documents"]
        ]

    assert listed() == ["2", "1"]
    assert listed(external_id="1") == ["1"]
    assert listed(status="indexed") == ["2", "1"]
    assert listed(status="failed") == []


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"limit": "0"}, "INVALID_REQUEST"),
        ({"limit": "101"}, "INVALID_REQUEST"),
        ({"limit": "-1"}, "INVALID_REQUEST"),
        ({"limit": "ten"}, "INVALID_REQUEST"),
        ({"limit": ""}, "INVALID_REQUEST"),
        ({"status": "lost"}, "INVALID_REQUEST"),
        ({"cursor": "x"}, "INVALID_CURSOR"),
        ({"cursor": "é" * 20}, "INVALID_CURSOR"),
        ({"cursor": "A" * 22}, None),
    ],
    ids=repr,
)
def test_bad_lists(client: httpx.Client, parameters: Json, code: str | None) -> None:
    """A parameter outside its values is 400."""
    response = client.get(DOCUMENTS, params=parameters)
    if code:
        refused(response, 400, code)
    else:
        assert response.status_code in (200, 400)

"""Many documents in one request: each stands alone."""

from __future__ import annotations

import httpx
import pytest

from tests.e2e.conftest import Json, document, refused

BATCH = "/api/documents/batch"
RESULT = {"index", "status", "id", "source", "external_id", "title", "indexed_at"}


def test_all_succeed(client: httpx.Client, source: str) -> None:
    """A batch of a hundred that all succeed is 200, with a result for each in order."""
    response = client.post(BATCH, json={"documents": [document(source, str(number)) for number in range(100)]})
    assert response.status_code == 200
    body = response.json()
    assert (body["succeeded"], body["failed"]) == (100, 0)
    assert [(one["index"], one["external_id"], one["status"]) for one in body["results"]] == [
        (number, str(number), "indexed") for number in range(100)
    ]
    assert set(body["results"][0]) - {"error"} == RESULT


def test_some_fail(client: httpx.Client, source: str) -> None:
    """What is wrong with one item is told at its place and keeps no other from being created: 207."""
    there = client.post("/api/documents", json=document(source, "there")).json()["id"]
    items = [
        document(source, "1"),
        {"source": source},
        document(source, "there"),
        document(source, "1", title="Again"),
        "text",
        None,
        document(source, "2"),
    ]
    response = client.post(BATCH, json={"documents": items})
    assert response.status_code == 207
    body = response.json()
    assert (body["succeeded"], body["failed"]) == (2, 5)
    codes = [one["error"]["code"] if one.get("error") else None for one in body["results"]]
    assert codes == [
        None,
        "INVALID_REQUEST",
        "DOCUMENT_EXISTS",
        "DUPLICATE_IN_BATCH",
        "INVALID_REQUEST",
        "INVALID_REQUEST",
        None,
    ]
    assert [one["status"] for one in body["results"]] == [
        *["indexed", "error", "error", "error", "error", "error", "indexed"]
    ]
    assert all(set(one) >= RESULT for one in body["results"])
    assert all(one["error"]["message"] for one in body["results"] if one["status"] == "error")
    assert client.get(f"/api/documents/{there}").json()["title"] == "Parental leave"


def test_all_fail(client: httpx.Client) -> None:
    """A batch whose items all fail is 207, too."""
    assert client.post(BATCH, json={"documents": [{}]}).status_code == 207


def test_upsert(client: httpx.Client, source: str) -> None:
    """With upsert what is there is updated; a repetition inside the batch is still refused."""
    first = client.post(BATCH, json={"documents": [document(source)]}).json()["results"][0]
    items = [document(source, title="New"), document(source, title="Newer")]
    response = client.post(f"{BATCH}?upsert=true", json={"documents": items})
    assert response.status_code == 207
    updated, repeated = response.json()["results"]
    assert (updated["id"], updated["title"]) == (first["id"], "New")
    assert repeated["error"]["code"] == "DUPLICATE_IN_BATCH"
    assert client.get(f"/api/documents/{first['id']}").json()["title"] == "New"


def test_respond_async(client: httpx.Client, source: str) -> None:
    """A batch that nobody waits for is 202, its items pending, and pending counts as succeeded."""
    items = [document(source, str(number)) for number in range(3)]
    response = client.post(BATCH, json={"documents": items}, headers={"Prefer": "respond-async"})
    assert response.status_code == 202
    assert response.json()["succeeded"] == 3
    assert {one["status"] for one in response.json()["results"]} == {"pending"}


@pytest.mark.parametrize(
    "body",
    [{}, {"documents": []}, {"documents": {}}, {"documents": None}, {"documents": [{}] * 101}, {"documents": "x"}],
    ids=lambda body: repr(body)[:30],
)
def test_bad_batches(client: httpx.Client, body: Json) -> None:
    """A batch has 1 to 100 items, in an array."""
    refused(client.post(BATCH, json=body), 400, "INVALID_REQUEST")

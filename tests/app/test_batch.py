"""/api/documents/batch."""

from typing import Any

import httpx
import pytest

from tests.app.conftest import created, page
from tests.databases import BOTH

DATABASES = BOTH
BATCH = "/api/documents/batch"


async def test_all_succeed(client: httpx.AsyncClient) -> None:
    """A batch of good items is 200 with a result for each, in order."""
    response = await client.post(BATCH, json={"documents": [page("1"), page("2")]})
    body = response.json()
    assert (response.status_code, body["succeeded"], body["failed"]) == (200, 2, 0)
    assert [result["index"] for result in body["results"]] == [0, 1]
    assert set(body["results"][0]) == {"index", "status", "id", "source", "external_id", "title", "indexed_at"}


async def test_each_item_stands_alone(client: httpx.AsyncClient) -> None:
    """Invalid, duplicate and existing items fail beside one that succeeds."""
    there = await created(client, "there")
    items = [page("1"), page("2", title=""), page("1"), page("there"), 5, page("3")]
    response = await client.post(BATCH, json={"documents": items})
    body = response.json()
    assert (response.status_code, body["succeeded"], body["failed"]) == (207, 2, 4)
    codes = [result.get("error", {}).get("code") for result in body["results"]]
    assert codes == [None, "INVALID_REQUEST", "DUPLICATE_IN_BATCH", "DOCUMENT_EXISTS", "INVALID_REQUEST", None]
    assert body["results"][1]["error"]["message"] == "title: String should have at least 1 character."
    assert body["results"][4]["error"]["message"] == "Input should be an object."
    assert body["results"][3]["id"] == there["id"]
    assert body["results"][4]["external_id"] is None


async def test_all_that_is_wrong_with_an_item_is_told(client: httpx.AsyncClient) -> None:
    """In a sentence each."""
    response = await client.post(BATCH, json={"documents": [{"source": "wiki", "external_id": "1"}]})
    told = response.json()["results"][0]["error"]["message"]
    assert told == "title: Field required. content: Field required."


async def test_duplicates_fail_with_upsert_too(client: httpx.AsyncClient) -> None:
    """An upsert updates what is there, but not twice in one batch."""
    await created(client, "1")
    response = await client.post(f"{BATCH}?upsert=true", json={"documents": [page("1", title="New"), page("1")]})
    assert response.status_code == 207
    assert [result["status"] for result in response.json()["results"]] == ["indexed", "error"]


async def test_the_first_valid_item_of_a_key_counts(client: httpx.AsyncClient) -> None:
    """An invalid item takes its key from nobody."""
    response = await client.post(BATCH, json={"documents": [page("1", title=""), page("1")]})
    assert [result["status"] for result in response.json()["results"]] == ["error", "indexed"]


async def test_all_fail(client: httpx.AsyncClient) -> None:
    """A batch whose items all fail is 207."""
    response = await client.post(BATCH, json={"documents": [{}]}, headers={"Prefer": "respond-async"})
    assert (response.status_code, response.json()["failed"]) == (207, 1)


async def test_respond_async(client: httpx.AsyncClient) -> None:
    """A caller that does not wait gets 202, and pending counts as succeeded."""
    response = await client.post(BATCH, json={"documents": [page("1")]}, headers={"Prefer": "respond-async"})
    body = response.json()
    assert (response.status_code, body["succeeded"], body["results"][0]["status"]) == (202, 1, "pending")


@pytest.mark.parametrize("body", [{}, {"documents": []}, {"documents": {}}, {"documents": [{}] * 101}])
async def test_refuses(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    """A batch has 1 to 100 items."""
    response = await client.post(BATCH, json=body)
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")

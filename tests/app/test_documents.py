"""/api/documents."""

from typing import Any

import httpx
import pytest

from tests.app.conftest import HERON, created, page
from tests.databases import BOTH

DATABASES = BOTH
ASYNC = {"Prefer": "respond-async"}


async def test_create_answers_the_six_fields_and_where_it_is(client: httpx.AsyncClient) -> None:
    """A created document answers 201 with the summary, its address and its version."""
    response = await client.post("/api/documents", json=page())
    body = response.json()
    assert response.status_code == 201
    assert set(body) == {"id", "source", "external_id", "title", "indexed_at", "status"}
    assert body["status"] == "indexed"
    assert body["indexed_at"].endswith("Z")
    assert len(body["indexed_at"]) == len("2026-11-21T05:31:00.123Z")
    assert response.headers["location"] == f"/api/documents/{body['id']}"
    assert response.headers["etag"] == '"1"'


async def test_same_key_is_a_conflict_that_names_the_document(client: httpx.AsyncClient) -> None:
    """A second document of the same key is 409 with the id of the first."""
    first = await created(client)
    response = await client.post("/api/documents", json=page())
    assert response.status_code == 409
    assert response.json()["code"] == "DOCUMENT_EXISTS"
    assert response.json()["id"] == first["id"]


async def test_upsert_updates_and_leaves_what_is_absent(client: httpx.AsyncClient) -> None:
    """An upsert answers 200 for a document that is there, and keeps its url and metadata."""
    first = await created(client, url="https://example.com/a", metadata={"author": "Ada"})
    response = await client.post("/api/documents?upsert=true", json=page(title="New"))
    assert response.status_code == 200
    now = (await client.get(f"/api/documents/{first['id']}")).json()
    assert (now["title"], now["url"], now["metadata"]) == ("New", "https://example.com/a", {"author": "Ada"})


async def test_respond_async_is_accepted_and_pending(client: httpx.AsyncClient) -> None:
    """A caller that does not wait gets 202 with a pending document."""
    response = await client.post("/api/documents", json=page(), headers=ASYNC)
    assert response.status_code == 202
    assert response.json()["status"] == "pending"
    assert response.json()["indexed_at"] is None
    assert response.headers["preference-applied"] == "respond-async"


async def test_get_shows_all_fields(client: httpx.AsyncClient) -> None:
    """One document is answered whole, with its version as ETag."""
    made = await created(client, url="https://example.com/a", metadata={"a": [1, {"b": None}]})
    response = await client.get(f"/api/documents/{made['id']}")
    body = response.json()
    assert response.headers["etag"] == '"1"'
    assert (body["content"], body["url"], body["metadata"]) == (HERON, "https://example.com/a", {"a": [1, {"b": None}]})
    assert body["created_at"].endswith("Z")


@pytest.mark.parametrize("number", [1e22, -1e308, 5e-324])
async def test_numbers_of_any_size_come_back(client: httpx.AsyncClient, number: float) -> None:
    """Metadata may hold whatever number JSON holds: the document, its list and its updates show it."""
    path = f"/api/documents/{(await created(client, metadata={'population': number}))['id']}"
    await client.put(path, json={"title": "New"})
    for response in (await client.get(path), await client.get("/api/documents")):
        assert response.status_code == 200
        body = response.json()
        [shown] = body.get("documents", [body])
        assert (shown["title"], shown["metadata"]) == ("New", {"population": number})


@pytest.mark.parametrize("identifier", ["01942f6c-8b1e-7c3a-9d52-6f0e4a7b1c90", "nonsense", "%00", "..%2e", "1" * 400])
async def test_unknown_ids_are_not_found(client: httpx.AsyncClient, identifier: str) -> None:
    """An id of no document, or no UUID at all, is 404 for every method."""
    path = f"/api/documents/{identifier}"
    for response in (await client.get(path), await client.put(path, json={}), await client.delete(path)):
        assert (response.status_code, response.json()["code"]) == (404, "DOCUMENT_NOT_FOUND")


async def test_documents_of_others_are_not_found(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    """Another organization neither reads, changes, deletes nor lists a document."""
    path = f"/api/documents/{(await created(client))['id']}"
    for response in (await stranger.get(path), await stranger.put(path, json={}), await stranger.delete(path)):
        assert response.status_code == 404
    assert (await stranger.get("/api/documents")).json()["documents"] == []
    assert (await client.get(path)).status_code == 200


async def test_put_changes_what_is_named(client: httpx.AsyncClient) -> None:
    """An update replaces what it names, clears a null url, and leaves the rest."""
    made = await created(client, url="https://example.com/a", metadata={"a": 1})
    path = f"/api/documents/{made['id']}"
    response = await client.put(path, json={"content": "Storks stand.", "url": None, "source": "ignored"})
    body = response.json()
    assert response.status_code == 200
    assert (body["content"], body["url"], body["metadata"], body["source"]) == ("Storks stand.", None, {"a": 1}, "wiki")
    assert response.headers["etag"] == '"2"'
    unchanged = await client.put(path, json={})
    assert (unchanged.status_code, unchanged.headers["etag"]) == (200, '"2"')


@pytest.mark.parametrize("body", [{"title": None}, {"content": None}, {"metadata": None}, {"title": " "}, {"url": ""}])
async def test_put_refuses_null_and_blank(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    """Only the url can be cleared."""
    made = await created(client)
    response = await client.put(f"/api/documents/{made['id']}", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"][0]["field"] == next(iter(body))


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ('"1"', 200), ("*", 200), ('"7", "1"', 200), ('"1", ', 200), (', ,"7",,"1" ,', 200),
        ('"7"', 412), ('"7", "8"', 412), ('W/"1"', 412), ("nonsense", 412), (",", 412),
    ],
)  # fmt: skip
async def test_put_honours_if_match(client: httpx.AsyncClient, header: str, status: int) -> None:
    """An update that names another version is refused."""
    made = await created(client)
    response = await client.put(f"/api/documents/{made['id']}", json={"title": "New"}, headers={"If-Match": header})
    assert response.status_code == status, response.text
    assert status == 200 or response.json()["code"] == "PRECONDITION_FAILED"


async def test_headers_on_several_lines(client: httpx.AsyncClient) -> None:
    """They are one list."""
    tags = [("If-Match", '"7"'), ("If-Match", ""), ("If-Match", '"1"')]
    wishes = [("Prefer", "wait=5"), ("Prefer", ""), ("Prefer", "respond-async")]
    path = f"/api/documents/{(await created(client))['id']}"
    response = await client.put(path, json={"title": "New"}, headers=[*tags, *wishes])
    assert response.status_code == 202, response.text
    assert response.headers["preference-applied"] == "respond-async"


async def test_delete_once(client: httpx.AsyncClient) -> None:
    """A document is deleted with 204, only in the version named, and then it is gone."""
    path = f"/api/documents/{(await created(client))['id']}"
    assert (await client.delete(path, headers={"If-Match": '"9"'})).status_code == 412
    gone = await client.delete(path, headers={"If-Match": '"1"'})
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await client.delete(path)).status_code == 404
    assert (await client.get(path)).status_code == 404


async def test_delete_by_key_and_by_source(client: httpx.AsyncClient) -> None:
    """A key deletes one document, a source all that are left, and neither is a mistake."""
    for number in "123":
        await created(client, number)
    by_key = {"source": "wiki", "external_id": "2"}
    assert (await client.delete("/api/documents", params=by_key)).status_code == 204
    assert (await client.delete("/api/documents", params=by_key)).status_code == 404
    response = await client.delete("/api/documents", params={"source": "wiki"})
    assert (response.status_code, response.json()) == (200, {"deleted": 2})
    assert (await client.delete("/api/documents")).status_code == 400


async def test_delete_by_key_honours_if_match(client: httpx.AsyncClient) -> None:
    """A key deletes its document only in the version named; a whole source has no version that could be named."""
    await created(client)
    by_key = {"source": "wiki", "external_id": "1"}
    stale = await client.delete("/api/documents", params=by_key, headers={"If-Match": '"2"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "PRECONDITION_FAILED")
    whole = await client.delete("/api/documents", params={"source": "wiki"}, headers={"If-Match": "*"})
    assert (whole.status_code, whole.json()["code"]) == (400, "INVALID_REQUEST")
    gone = await client.delete("/api/documents", params=by_key, headers={"If-Match": '"1"'})
    assert gone.status_code == 204


@pytest.mark.parametrize(("header", "status"), [('"1"', 200), ("*", 200), ('"2"', 412), ('W/"1"', 412)])
async def test_upsert_honours_if_match(client: httpx.AsyncClient, header: str, status: int) -> None:
    """An upsert that names another version is refused and changes nothing."""
    path = f"/api/documents/{(await created(client))['id']}"
    response = await client.post("/api/documents?upsert=true", json=page(title="New"), headers={"If-Match": header})
    assert response.status_code == status, response.text
    assert (await client.get(path)).json()["title"] == ("New" if status == 200 else "Page 1")


async def test_what_does_not_exist_has_no_version(client: httpx.AsyncClient) -> None:
    """With If-Match nothing is created."""
    response = await client.post("/api/documents?upsert=true", json=page(), headers={"If-Match": "*"})
    assert (response.status_code, response.json()["code"]) == (412, "PRECONDITION_FAILED")
    assert (await client.get("/api/documents")).json()["documents"] == []


async def test_list_is_newest_first_and_pages(client: httpx.AsyncClient) -> None:
    """Pages follow each other without repeating or skipping, newest first, without content."""
    for number in "12345":
        await created(client, number)
    seen, cursor = [], None
    while True:
        found = (
            await client.get("/api/documents", params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        ).json()
        assert all("content" not in document for document in found["documents"])
        seen += [document["external_id"] for document in found["documents"]]
        if not (cursor := found["next_cursor"]):
            break
    assert seen == ["5", "4", "3", "2", "1"]


async def test_list_filters(client: httpx.AsyncClient) -> None:
    """The list narrows to source, status and external id."""
    await created(client, "1")
    await created(client, "2", source="crm")
    for params, number in (({"source": "crm"}, 1), ({"status": "indexed"}, 2), ({"external_id": "1"}, 1)):
        assert len((await client.get("/api/documents", params=params)).json()["documents"]) == number
    assert (await client.get("/api/documents?source=none")).json() == {"documents": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "INVALID_REQUEST"),
        ("limit=101", "INVALID_REQUEST"),
        ("limit=x", "INVALID_REQUEST"),
        ("status=lost", "INVALID_REQUEST"),
        ("source=%00", "INVALID_REQUEST"),
        ("cursor=nonsense", "INVALID_CURSOR"),
        ("cursor=%ff%00", "INVALID_CURSOR"),
    ],
)
async def test_list_refuses(client: httpx.AsyncClient, query: str, code: str) -> None:
    """What a list cannot be asked is 400."""
    response = await client.get(f"/api/documents?{query}")
    assert (response.status_code, response.json()["code"]) == (400, code)


NESTED: dict[str, Any] = {"1": {"2": {"3": {"4": [1]}}}}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"source": "a b"}, "source"),
        ({"source": "x" * 101}, "source"),
        ({"source": "wiki\n"}, "source"),
        ({"external_id": ""}, "external_id"),
        ({"external_id": "x" * 513}, "external_id"),
        ({"title": "  "}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": 5}, "title"),
        ({"content": "\n"}, "content"),
        ({"content": "x" * 1_000_001}, "content"),
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "https://"}, "url"),
        ({"url": "http://[::1"}, "url"),
        ({"url": "http://a:99999999/"}, "url"),
        ({"url": "http://a:0/"}, "url"),
        ({"url": "https://example.com/" + "x" * 2048}, "url"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "x" * 16_384}}, "metadata"),
        ({"metadata": {"0": NESTED}}, "metadata"),
    ],
)
async def test_create_refuses(client: httpx.AsyncClient, wrong: dict[str, Any], field: str) -> None:
    """A field over its limits is 400 and named."""
    response = await client.post("/api/documents", json=page() | wrong)
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert [one["field"] for one in response.json()["details"]] == [field]


async def test_create_takes_what_is_just_within_the_limits(client: httpx.AsyncClient) -> None:
    """Lengths count code points; metadata counts bytes and levels."""
    metadata = {"": "x" * (16_384 - len('{"":""}'))}
    await created(client, "𝄞" * 512, title="𝄞" * 500, source="A.b_c:d-1", metadata=metadata)
    await created(client, "deep", metadata=NESTED)


async def test_missing_fields_are_all_named(client: httpx.AsyncClient) -> None:
    """A body with nothing in it is told everything that it lacks."""
    response = await client.post("/api/documents", json={})
    assert {one["field"] for one in response.json()["details"]} == {"source", "external_id", "title", "content"}


async def test_members_only_read(member: httpx.AsyncClient, client: httpx.AsyncClient) -> None:
    """A member reads documents but may not change them, however wrong the body."""
    path = f"/api/documents/{(await created(client))['id']}"
    assert (await member.get(path)).status_code == 200
    refused = [
        await member.post("/api/documents", json={}),
        await member.post("/api/documents/batch", json={}),
        await member.put(path, json={}),
        await member.delete(path),
        await member.delete("/api/documents?source=wiki"),
    ]
    assert {(one.status_code, one.json()["code"]) for one in refused} == {(403, "FORBIDDEN")}


@pytest.mark.parametrize("query", ["source=wiki&externalid=1", "source=", "source=%20", "external_id=1", ""])
async def test_a_misspelt_deletion_deletes_nothing(client: httpx.AsyncClient, query: str) -> None:
    """What would delete a whole source is told apart from a slip."""
    await created(client)
    assert (await client.delete(f"/api/documents?{query}")).status_code == 400
    assert len((await client.get("/api/documents")).json()["documents"]) == 1


@pytest.mark.parametrize("tag", ['junk"1"', '"1', "1", '"1";"2"'])
async def test_tags_that_are_none(client: httpx.AsyncClient, tag: str) -> None:
    """An If-Match that cannot be read matches nothing."""
    path = f"/api/documents/{(await created(client))['id']}"
    assert (await client.delete(path, headers={"If-Match": tag})).status_code == 412


async def test_deleting_by_path_needs_no_body(client: httpx.AsyncClient) -> None:
    """A DELETE with a body of any kind is a DELETE."""
    path = f"/api/documents/{(await created(client))['id']}"
    assert (await client.request("DELETE", path, content=b"hello")).status_code == 204

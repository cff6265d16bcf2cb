"""What /openapi.json says is what the service does."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager
from fastapi import FastAPI
from jsonschema import ValidationError, validate

from app.config import Settings
from app.main import create_app
from pipelines.knowledge import KnowledgeBase
from tests.app.conftest import page
from tests.app.described import checker, closed

DOCUMENTS, QUERY = "/api/documents", "/api/ai/query"
Json = dict[str, Any]


@pytest.fixture
async def said(anonymous: httpx.AsyncClient) -> Json:
    return (await anonymous.get("/openapi.json")).json()  # type: ignore[no-any-return]


@pytest.fixture
async def app(knowledge: KnowledgeBase, tmp_path: Path) -> AsyncIterator[FastAPI]:
    """With limits, whose headers are described."""
    made = create_app(Settings(data_dir=tmp_path, _env_file=None), knowledge)
    async with LifespanManager(made) as manager:
        yield manager.app


def contents(said: Json) -> Iterator[Json]:
    """Of all answers that have an example in JSON."""
    for operations in said["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                content = response.get("content", {}).get("application/json", {})
                if "example" in content:
                    yield content


def test_examples_have_the_shape_that_is_said(said: Json) -> None:
    """Each answer is shown and has a schema, and both have the same members."""
    shown = list(contents(said))
    assert len(shown) > 30
    for content in shown:
        name = content["schema"]["$ref"].rpartition("/")[2]
        validate(content["example"], {**content["schema"], "components": closed(said["components"])})
        assert set(content["example"]) == set(said["components"]["schemas"][name]["properties"]), name


async def test_answers_are_as_they_are_described(client: httpx.AsyncClient, said: Json) -> None:
    """What is really answered fits the schema and has no member more, and the headers are those that are said."""
    batch = {"documents": [page("2"), {}]}
    first = await client.post(DOCUMENTS, json=page(metadata={"a": 1}))
    one = f"{DOCUMENTS}/{first.json()['id']}"
    organization = (await client.get("/api/auth/me")).json()["organization"]["id"]
    for response, path in [
        (first, DOCUMENTS),
        (await client.get(DOCUMENTS), DOCUMENTS),
        (await client.get(one), f"{DOCUMENTS}/{{document_id}}"),
        (await client.put(one, json={"title": "New"}), f"{DOCUMENTS}/{{document_id}}"),
        (await client.post(f"{DOCUMENTS}/batch", json=batch), f"{DOCUMENTS}/batch"),
        (await client.post(QUERY, json={"question": "Where does the blue heron nest?"}), QUERY),
        (await client.post("/api/ai/search", json={"question": "heron"}), "/api/ai/search"),
        (await client.get("/api/auth/me"), "/api/auth/me"),
        (await client.get(f"/api/organizations/{organization}/usage"), "/api/organizations/{organization_id}/usage"),
        (await client.get("/readyz"), "/readyz"),
    ]:
        method = response.request.method.lower()
        described = said["paths"][path][method]["responses"][str(response.status_code)]
        [schema] = [one["schema"] for kind, one in described["content"].items() if kind == "application/json"]
        validate(response.json(), {**schema, "components": closed(said["components"])})
        properties = said["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"]
        assert set(response.json()) == set(properties)
        assert {name.lower() for name in described["headers"]} == told(response)


async def test_a_member_that_is_not_described_is_noticed(client: httpx.AsyncClient, said: Json) -> None:
    """At every level of an answer, though the description leaves room for more."""
    await client.post(DOCUMENTS, json=page())
    answer = (await client.get(DOCUMENTS)).json()
    check = checker(DOCUMENTS, "get", "200")
    check.validate(answer)
    for level in (answer, answer["documents"][0]):
        level["more"] = 1
        with pytest.raises(ValidationError):
            check.validate(answer)
        del level["more"]
    assert "additionalProperties" not in said["components"]["schemas"]["DocumentPage"]


def told(response: httpx.Response) -> set[str]:
    names = set(response.headers) - {"content-type", "content-length", "x-content-type-options"}
    return {name for name in names if name != "location" or response.status_code == 201}


def test_an_update_has_no_defaults(said: Json) -> None:
    """A client that fills in what is absent clears nothing."""
    properties = said["components"]["schemas"]["UpdateDocument"]["properties"]
    assert [name for name, one in properties.items() if "default" in one] == []


def test_the_organization_can_be_chosen(said: Json) -> None:
    """Where the path does not name it, and where credentials are asked for at all."""
    for path, operations in said["paths"].items():
        for operation in operations.values():
            names = [one["name"] for one in operation.get("parameters", [])]
            wanted = bool(operation["security"]) and "{organization_id}" not in path
            assert ("X-Organization-Id" in names) == wanted, path


def test_refusals_before_the_limits_tell_nothing_of_them(said: Json) -> None:
    """Limits are told by what reached them, and how long to wait by who may come back."""
    responses = said["paths"][QUERY]["post"]["responses"]
    assert "X-RateLimit-Quota-Remaining" in responses["429"]["headers"]
    assert set(responses["401"]["headers"]) == {"X-Request-Id"}
    assert "Retry-After" in responses["503"]["headers"]
    assert "Retry-After" in said["paths"]["/readyz"]["get"]["responses"]["503"]["headers"]

"""Documents as they come over the wire and as they go back."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SkipValidation

from app.responses import timestamp
from pipelines.types import UNCHANGED, Document, NewDocument, Unchanged

MOST_METADATA = 16_384
DEEPEST_METADATA = 5
MOST_IN_BATCH = 100

EXAMPLE: dict[str, Any] = {
    "source": "wiki",
    "external_id": "hr-042",
    "title": "Parental leave",
    "content": "Every parent takes sixteen weeks of paid leave.",
    "url": "https://wiki.example.com/hr-042",
    "metadata": {"author": "Ada Byron", "updated_at": "2026-11-20"},
}


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        good = named and url.isprintable() and " " not in url
    except ValueError:
        good = False
    if not good:
        raise ValueError("must be an http or https address")
    return url


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    if _is_deep(metadata, DEEPEST_METADATA):
        raise ValueError(f"must not be nested more than {DEEPEST_METADATA} deep")
    if len(orjson.dumps(metadata)) > MOST_METADATA:
        raise ValueError(f"must have at most {MOST_METADATA:,} bytes as compact JSON")
    return metadata


def _is_deep(value: Any, levels: int) -> bool:
    """Whether objects and arrays lie in each other more levels deep; the outermost is the first."""
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deep(item, levels - 1) for item in inside)


SOURCE = r"^[A-Za-z0-9._:-]{1,100}$"
Source = Annotated[str, Field(pattern=SOURCE)]
ExternalId = Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_not_blank)]
Title = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_not_blank)]
Content = Annotated[str, Field(min_length=1, max_length=1_000_000), AfterValidator(_not_blank)]
Url = Annotated[str, Field(max_length=2048), AfterValidator(_web_address)]
DocumentMetadata = Annotated[dict[str, Any], AfterValidator(_small)]
ABSENT: Any = Field(default_factory=lambda: None)
"""None, but in the description: whoever fills in defaults would clear a url, and nothing else accepts it."""


class CreateDocument(BaseModel):
    model_config = ConfigDict(strict=True, json_schema_extra={"example": EXAMPLE})

    source: Source
    external_id: ExternalId
    title: Title
    content: Content
    url: Url | None = None
    metadata: DocumentMetadata | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.external_id

    def as_new(self) -> NewDocument:
        return NewDocument(
            source=self.source,
            external_id=self.external_id,
            title=self.title,
            content=self.content,
            url=self.url,
            metadata=self.metadata,
        )


class UpdateDocument(BaseModel):
    """What is absent stays as it is; `metadata` replaces; `url: null` clears."""

    model_config = ConfigDict(
        strict=True, json_schema_extra={"example": {"content": "Every parent takes eighteen weeks of paid leave."}}
    )

    title: Title = ABSENT
    content: Content = ABSENT
    url: Url | None = ABSENT
    metadata: DocumentMetadata = ABSENT

    @property
    def new_url(self) -> str | Unchanged | None:
        return self.url if "url" in self.model_fields_set else UNCHANGED


class Batch(BaseModel):
    """Up to 100 documents; each is validated by itself and stands alone."""

    model_config = ConfigDict(strict=True, json_schema_extra={"example": {"documents": [EXAMPLE]}})

    documents: Annotated[list[SkipValidation[CreateDocument]], Field(min_length=1, max_length=MOST_IN_BATCH)]


def summary(document: Document) -> dict[str, Any]:
    """What a create answers with."""
    return {
        "id": document.id,
        "source": document.source,
        "external_id": document.external_id,
        "title": document.title,
        "indexed_at": _searchable_since(document),
        "status": document.status,
    }


def listed(document: Document) -> dict[str, Any]:
    """All but the content."""
    return {
        **summary(document),
        "url": document.url,
        "metadata": document.metadata,
        "error": document.error,
        "created_at": timestamp(document.created_at),
        "updated_at": timestamp(document.updated_at),
    }


def full(document: Document) -> dict[str, Any]:
    return {**listed(document), "content": document.content}


def _searchable_since(document: Document) -> str | None:
    """Nothing while the newest version is not searchable, even if an earlier one is."""
    return timestamp(document.indexed_at) if document.status == "indexed" else None

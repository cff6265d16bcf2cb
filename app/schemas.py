"""What the service answers, member by member: no answer is made or checked by these, they are for the description."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from app.roles import RoleName
from pipelines.types import DocumentStatus, Metadata

Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""As `app.responses.timestamp` writes it."""
Fraction = Annotated[float, Field(ge=0, le=1)]


class DocumentSummary(TypedDict):
    id: UUID
    source: str
    external_id: str
    title: str
    indexed_at: Timestamp | None
    status: DocumentStatus


class ListedDocument(DocumentSummary):
    url: str | None
    metadata: Metadata
    error: str | None
    created_at: Timestamp
    updated_at: Timestamp


class Document(ListedDocument):
    content: str


class DocumentPage(TypedDict):
    documents: list[ListedDocument]
    next_cursor: str | None


class ItemError(TypedDict):
    code: str
    message: str


class BatchItem(TypedDict):
    index: int
    status: Literal["indexed", "pending", "error"]
    id: UUID | None
    source: str | None
    external_id: str | None
    title: str | None
    indexed_at: Timestamp | None
    error: NotRequired[ItemError]


class BatchOutcome(TypedDict):
    results: list[BatchItem]
    succeeded: int
    failed: int


class Deleted(TypedDict):
    deleted: int


class Citation(TypedDict):
    id: UUID
    title: str
    source: str
    url: str | None
    snippet: str
    relevance: Fraction
    metadata: Metadata


class QueryMetadata(TypedDict):
    query_id: UUID
    response_time_ms: int
    sources_searched: int
    sources_used: int


class QueryAnswer(TypedDict):
    answer: str
    confidence: Fraction
    citations: list[Citation]
    related_questions: list[str]
    query_metadata: QueryMetadata


class FoundDocument(TypedDict):
    id: UUID
    title: str
    source: str
    external_id: str
    url: str | None
    snippet: str
    score: Annotated[Fraction, Field(description="Ranks within one search; 0 for the last candidate, or the only one.")]
    metadata: Metadata


class SearchResults(TypedDict):
    results: list[FoundDocument]
    query_metadata: QueryMetadata


class Organization(TypedDict):
    id: UUID
    name: str
    billing_tier: str
    member_count: int
    created_at: Timestamp


class Settings(TypedDict):
    name: str
    features: dict[str, bool]


class MinuteUsage(TypedDict):
    limit: int
    remaining: int
    reset: int


class RequestsUsage(MinuteUsage):
    burst: int


class MonthUsage(TypedDict):
    limit: int | None
    used: int
    remaining: int | None
    reset: int


class Usage(TypedDict):
    plan: str
    requests: RequestsUsage
    queries_minute: MinuteUsage
    queries_month: MonthUsage


class Member(TypedDict):
    user_id: UUID
    email: str
    role: RoleName
    joined_at: Timestamp


class MemberPage(TypedDict):
    members: list[Member]
    next_cursor: str | None


class Invitation(TypedDict):
    id: UUID
    email: str
    role: RoleName
    status: Literal["invited"]
    expires_at: Timestamp


class ListedInvitation(Invitation):
    invited_by: UUID | None
    created_at: Timestamp


class InvitationPage(TypedDict):
    invitations: list[ListedInvitation]
    next_cursor: str | None


class _AnyApiKey(TypedDict):
    id: UUID
    name: str
    prefix: str
    created_at: Timestamp
    expires_at: Timestamp | None


class CreatedApiKey(_AnyApiKey):
    key: str


class ApiKey(_AnyApiKey):
    role: RoleName
    created_by: UUID | None
    last_used_at: Timestamp | None


class ApiKeyPage(TypedDict):
    api_keys: list[ApiKey]
    next_cursor: str | None


class User(TypedDict):
    id: UUID
    email: str


class Sent(TypedDict):
    success: bool
    message: str


class SignedUp(Sent):
    user: User


class Tokens(TypedDict):
    access_token: str
    refresh_token: str
    expires_in: int
    token_type: Literal["bearer"]


class ArrivedUser(User):
    organization_id: UUID | None


class TokenSet(Tokens):
    user: ArrivedUser


class Provider(TypedDict):
    id: str
    name: str
    enterprise: bool


class Providers(TypedDict):
    providers: list[Provider]


class OwnOrganization(TypedDict):
    id: UUID
    name: str | None


class Me(TypedDict):
    user: User | None
    organization: OwnOrganization | None
    role: RoleName | None
    credential: Literal["access_token", "api_key"]


class Alive(TypedDict):
    status: Literal["ok"]


class Ready(Alive):
    checks: dict[str, Literal["ok", "failed"]]

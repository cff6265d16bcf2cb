"""The service's own tables, beside the library's in the same database."""

from app.models.tables import (
    api_keys,
    audit,
    ended_sessions,
    invitations,
    memberships,
    metadata,
    notices,
    oauth_flows,
    organizations,
    sealed_tokens,
    usage,
    users,
)

__all__ = [
    "api_keys",
    "audit",
    "ended_sessions",
    "invitations",
    "memberships",
    "metadata",
    "notices",
    "oauth_flows",
    "organizations",
    "sealed_tokens",
    "usage",
    "users",
]

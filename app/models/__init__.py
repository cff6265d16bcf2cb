"""The service's own tables, beside the library's in the same database."""

from app.models.tables import api_keys, metadata, organizations, usage

__all__ = ["api_keys", "metadata", "organizations", "usage"]

"""API keys as they come over the wire and as they go back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from app.api_keys.service import LONGEST_NAME, ApiKey, checked_name
from app.responses import timestamp


def _moment(value: Any) -> Any:
    """A text as a moment; without an offset it is one of UTC."""
    if not isinstance(value, str):
        raise ValueError("must be a timestamp, like 2026-11-21T05:31:00Z")
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a timestamp, like 2026-11-21T05:31:00Z") from None


def _future(moment: datetime) -> datetime:
    if moment <= datetime.now(UTC):
        raise ValueError("must be in the future")
    return moment


Name = Annotated[str, AfterValidator(checked_name), Field(json_schema_extra={"maxLength": LONGEST_NAME})]
Future = Annotated[datetime, BeforeValidator(_moment), AfterValidator(_future)]


class CreateKey(BaseModel):
    model_config = ConfigDict(
        strict=True, json_schema_extra={"example": {"name": "wiki sync", "expires_at": "2027-11-21T00:00:00Z"}}
    )

    name: Name
    expires_at: Future | None = None


def created(key: ApiKey, secret: str) -> dict[str, Any]:
    """The only time that the secret is shown."""
    return {
        "id": key.id,
        "name": key.name,
        "key": secret,
        "prefix": key.prefix,
        "created_at": timestamp(key.created_at),
        "expires_at": timestamp(key.expires_at),
    }


def listed(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "role": key.role,
        "created_by": key.created_by,
        "created_at": timestamp(key.created_at),
        "expires_at": timestamp(key.expires_at),
        "last_used_at": timestamp(key.last_used_at),
    }

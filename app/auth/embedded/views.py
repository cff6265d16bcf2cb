"""People and sessions as JSON, member for member as clients of Supabase Auth expect them."""

import uuid
from datetime import UTC, datetime
from typing import Any

from app.auth.embedded.models import User, UserIdentity

Json = dict[str, Any]
MOMENTS = (
    "email_confirmed_at",
    "confirmation_sent_at",
    "recovery_sent_at",
    "email_change_sent_at",
    "reauthentication_sent_at",
    "invited_at",
    "last_sign_in_at",
    "banned_until",
    "deleted_at",
)


def moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def user_json(user: User, *, with_identities: bool = True) -> Json:
    identities = [identity_json(i) for i in user.identities] if with_identities else None
    return {
        "id": str(user.id),
        "aud": user.aud,
        "role": user.role,
        "email": user.email,
        "phone": user.phone,
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "identities": identities,
        "created_at": moment(user.created_at),
        "updated_at": moment(user.updated_at),
        "is_anonymous": False,
        **_optional(user),
    }


def _optional(user: User) -> Json:
    moments = {name: getattr(user, name) for name in MOMENTS} | {"confirmed_at": user.email_confirmed_at}
    pending = {"new_email": user.new_email, "new_phone": user.new_phone}
    told = {name: moment(value) for name, value in moments.items() if value is not None}
    return told | {name: value for name, value in pending.items() if value is not None}


def identity_json(identity: UserIdentity) -> Json:
    data = {"identity_data": identity.identity_data} if identity.identity_data else {}
    email = {"email": identity.email} if identity.email else {}
    return {
        "identity_id": str(identity.id),
        "id": identity.provider_id,
        "user_id": str(identity.user_id),
        "provider": identity.provider,
        "last_sign_in_at": moment(identity.last_sign_in_at),
        "created_at": moment(identity.created_at),
        "updated_at": moment(identity.updated_at),
        **data,
        **email,
    }


def nobody_json(email: str, now: datetime) -> Json:
    """What a sign-up answers for an address that has a confirmed account: a person who does not exist."""
    return {
        "id": str(uuid.uuid4()),
        "aud": "authenticated",
        "role": "",
        "email": email,
        "phone": "",
        "app_metadata": {"provider": "email", "providers": ["email"]},
        "user_metadata": {},
        "identities": [],
        "created_at": moment(now),
        "updated_at": moment(now),
        "is_anonymous": False,
        "confirmation_sent_at": moment(now),
    }

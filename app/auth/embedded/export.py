"""Accounts as `admin.create_user` of Supabase takes them: moving house keeps ids and passwords."""

from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import select

from app.auth.embedded.identity import Identity
from app.auth.embedded.models import User

SET_BY_THE_SERVER = ("provider", "providers")


async def export_users(identity: Identity) -> AsyncIterator[dict[str, Any]]:
    """Every person who is not deleted, oldest first, password hashes included."""
    query = select(User).where(User.deleted_at.is_(None)).order_by(User.created_at, User.id)
    async with identity.reading() as work:
        for user in await work.db.scalars(query):
            yield _exported(user)


def _exported(user: User) -> dict[str, Any]:
    own = {key: value for key, value in user.app_metadata.items() if key not in SET_BY_THE_SERVER}
    return {
        "id": str(user.id),
        "email": user.email,
        "email_confirm": user.email_confirmed_at is not None,
        "role": user.role,
        "user_metadata": user.user_metadata,
        "app_metadata": own,
        **({"password_hash": user.password_hash} if user.password_hash else {}),
        "providers": [identity.provider for identity in user.identities],
    }

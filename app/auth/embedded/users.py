"""People and their ways to sign in."""

import json
import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.auth.embedded.errors import invalid
from app.auth.embedded.identity import Work
from app.auth.embedded.models import FlowState, OneTimeToken, User, UserIdentity, UserSession

LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
ADDRESS = re.compile(rf"^(?!.*=\?)[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})*$")
Data = Mapping[str, Any]
MAXIMUM_DATA = 4096


def checked_address(email: str) -> str:
    if len(email) > 255:
        raise invalid("An email address is too long")
    if not ADDRESS.fullmatch(email):
        raise invalid("Unable to validate email address: invalid format")
    return email.lower()


async def by_email(db: AsyncSession, email: str, *, lock: bool = True) -> User | None:
    """Whoever has this address, single sign-on apart; locked until the transaction ends."""
    query = select(User).where(User.email == email.lower(), User.is_sso.is_(False))
    user: User | None = await db.scalar(query.with_for_update() if lock else query)
    return user


async def by_new_email(db: AsyncSession, email: str) -> User | None:
    """Whoever is about to change to this address, if it is only one."""
    found = list(await db.scalars(select(User).where(User.new_email == email.lower()).limit(2).with_for_update()))
    return found[0] if len(found) == 1 else None


async def by_id(db: AsyncSession, user_id: uuid.UUID, *, lock: bool = True) -> User | None:
    query = select(User).where(User.id == user_id)
    user: User | None = await db.scalar(query.with_for_update() if lock else query)
    return user


def is_banned(user: User, now: datetime) -> bool:
    return user.banned_until is not None and user.banned_until > now


def create(
    work: Work, email: str, data: Data, *, password_hash: str | None = None, user_id: uuid.UUID | None = None
) -> User:
    """A person known by the address alone, not yet confirmed."""
    user = create_bare(work, email, data, user_id=user_id)
    user.password_hash = password_hash
    add_identity(work, user, "email", str(user.id), address_claims(user))
    list_providers(user)
    return user


def create_bare(work: Work, email: str, data: Data, *, is_sso: bool = False, user_id: uuid.UUID | None = None) -> User:
    """A person without a way to sign in yet."""
    user = User(
        id=user_id or uuid.uuid4(),
        aud="authenticated",
        role="authenticated",
        email=email,
        phone="",
        is_sso=is_sso,
        app_metadata={},
        user_metadata=checked_data(data),
        created_at=work.now,
        updated_at=work.now,
        identities=[],
    )
    work.db.add(user)
    return user


def address_claims(user: User) -> dict[str, Any]:
    return {"email": user.email, "email_verified": False, "phone_verified": False, "sub": str(user.id)}


def add_identity(work: Work, user: User, provider: str, subject: str, data: Data) -> UserIdentity:
    identity = UserIdentity(
        id=uuid.uuid4(),
        user_id=user.id,
        provider=provider,
        provider_id=subject,
        email=str(data.get("email") or "").lower(),
        identity_data=dict(data),
        last_sign_in_at=work.now,
        created_at=work.now,
        updated_at=work.now,
    )
    user.identities.append(identity)
    return identity


def merged(old: Data, change: Data) -> dict[str, Any]:
    """Top-level members are replaced; null removes one."""
    return checked_data({key: value for key, value in {**old, **change}.items() if value is not None})


def checked_data(data: Data) -> dict[str, Any]:
    """Metadata travels in every token, and a token has to fit into a header."""
    if len(json.dumps(data)) > MAXIMUM_DATA:
        raise invalid("The metadata is too large")
    return dict(data)


def confirm(work: Work, user: User) -> None:
    """The address is this person's."""
    if user.email_confirmed_at is None:
        user.email_confirmed_at = work.now
        work.record("confirmed", user)
    user.user_metadata = {**user.user_metadata, "email_verified": True}
    user.updated_at = work.now


def mark_address_verified(work: Work, user: User) -> None:
    for identity in user.identities:
        if identity.email == user.email:
            identity.identity_data = {**identity.identity_data, "email_verified": True}
            identity.updated_at = work.now


def forget_pending_sign_up(work: Work, user: User) -> None:
    """What somebody set before the address was confirmed is not the owner's: password, data, foreign identities."""
    claims = address_claims(user)
    user.password_hash = None
    user.user_metadata = {k: v for k, v in user.user_metadata.items() if k in claims}
    user.identities = [i for i in user.identities if i.provider == "email"]
    for own in user.identities or [add_identity(work, user, "email", str(user.id), claims)]:
        own.identity_data = claims
    list_providers(user)


def list_providers(user: User) -> None:
    providers = list(dict.fromkeys(i.provider for i in user.identities)) or ["email"]
    user.app_metadata = {**user.app_metadata, "provider": providers[0], "providers": providers}


async def drop_tokens(db: AsyncSession, user: User) -> None:
    await db.execute(delete(OneTimeToken).where(OneTimeToken.user_id == user.id))


async def erase(db: AsyncSession, user_id: uuid.UUID) -> None:
    """Children first: not every connection enforces the cascade."""
    for table in (OneTimeToken, FlowState, UserSession, UserIdentity):
        await db.execute(delete(table).where(table.user_id == user_id))
    await db.execute(delete(User).where(User.id == user_id).execution_options(synchronize_session=False))

"""What the service key may do with people."""

import base64
import hashlib
import re
import uuid
from datetime import timedelta

from sqlalchemy import func, select

from app.auth.embedded import account, sessions, users
from app.auth.embedded.errors import IdentityError, email_exists, invalid, user_not_found
from app.auth.embedded.events import Event
from app.auth.embedded.identity import Identity, Work
from app.auth.embedded.models import User
from app.auth.embedded.passwords import check_imported, check_length
from app.auth.embedded.schemas import AdminUser
from app.auth.embedded.views import Json, user_json

DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST = timedelta(days=365 * 100)
MAXIMUM_PAGE = 1000


async def create(identity: Identity, params: AdminUser) -> Json:
    email = _checked(params)
    wanted = _wanted_id(params.id)
    password_hash = await _hash_of(identity, params)
    async with identity.transaction() as work:
        if await users.by_email(work.db, email) or (wanted and await users.by_id(work.db, wanted)):
            raise email_exists()
        user = users.create(work, email, {}, password_hash=password_hash, user_id=wanted)
        _apply(work, user, params)
        await work.db.flush()
        work.record("created_by_admin", user)
    return user_json(user)


def _checked(params: AdminUser) -> str:
    if not params.email:
        raise invalid("Cannot create a user without either an email or phone")
    return users.checked_address(params.email)


def _wanted_id(value: str | None) -> uuid.UUID | None:
    if not value:
        return None
    try:
        wanted = uuid.UUID(value)
    except ValueError:
        wanted = uuid.UUID(int=0)
    if wanted.version != 4:
        raise invalid("ID must conform to the uuid v4 format")
    return wanted


async def _hash_of(identity: Identity, params: AdminUser) -> str | None:
    _ban_seconds(params.ban_duration)
    if params.password_hash:
        if params.password:
            raise invalid("Only a password or a password hash should be provided")
        check_imported(params.password_hash)
        return params.password_hash
    if not params.password:
        return None
    check_length(params.password)
    return await identity.passwords.hash(params.password)


def _apply(work: Work, user: User, params: AdminUser) -> None:
    user.role = params.role or user.role
    user.user_metadata = users.merged(user.user_metadata, params.user_metadata)
    user.app_metadata = users.merged(user.app_metadata, params.app_metadata)
    if params.email_confirm:
        users.confirm(work, user)
    _ban(work, user, params.ban_duration)
    user.updated_at = work.now


def _ban(work: Work, user: User, duration: str | None) -> None:
    seconds = _ban_seconds(duration)
    if seconds is not None:
        user.banned_until = work.now + min(timedelta(seconds=seconds), LONGEST) if seconds else None
        work.record("banned" if seconds else "ban_lifted", user)


def _ban_seconds(duration: str | None) -> float | None:
    """Durations are written as in `1h30m`; `none` lifts a ban."""
    if duration is None or duration == "":
        return None
    if duration in ("none", "0"):
        return 0.0
    pieces = DURATION.findall(duration)
    if "".join(number + unit for number, unit in pieces) != duration:
        raise invalid(f'invalid format for ban duration: time: invalid duration "{duration}"')
    return min(sum(float(number) * SECONDS[unit] for number, unit in pieces), LONGEST.total_seconds())


async def read(identity: Identity, user_id: str) -> Json:
    async with identity.reading() as work:
        return user_json(await _found(work, user_id, lock=False))


async def update(identity: Identity, user_id: str, params: AdminUser) -> Json:
    async with identity.reading() as reading:
        await _found(reading, user_id, lock=False)
    password_hash = await _hash_of(identity, params)
    async with identity.transaction() as work:
        user = await _found(work, user_id)
        _apply(work, user, params)
        if params.email:
            await _move(work, user, users.checked_address(params.email))
        if password_hash:
            await account.set_password(work, user, password_hash, keep=None)
    return user_json(user)


async def _move(work: Work, user: User, email: str) -> None:
    if email == user.email:
        return
    if await users.by_email(work.db, email):
        raise email_exists()
    for identity in user.identities:
        if identity.provider == "email":
            identity.email, identity.identity_data = email, {**identity.identity_data, "email": email}
    user.email, user.new_email = email, None
    await users.drop_tokens(work.db, user)


async def delete(identity: Identity, user_id: str, *, soft: bool) -> None:
    """What the listener raises beforehand refuses it."""
    async with identity.reading() as reading:
        person = (await _found(reading, user_id, lock=False)).id
    await identity.listener(Event("deleting", person))
    async with identity.transaction() as work:
        user = await _found(work, user_id)
        work.record("deleted", user, soft=str(soft).lower())
        if soft:
            await _blot_out(work, user)
        else:
            work.db.expunge(user)
            await users.erase(work.db, user.id)


async def _blot_out(work: Work, user: User) -> None:
    """Keep the row, but nothing that tells who it was."""
    user.email, user.new_email = _blot(user, user.email), _blot(user, user.new_email or "")
    user.phone, user.new_phone = _blot(user, user.phone)[:15], _blot(user, user.new_phone or "")[:15]
    user.password_hash, user.app_metadata, user.user_metadata = None, {}, {}
    for identity in user.identities:
        identity.provider_id, identity.email = _blot(user, identity.provider_id), ""
        identity.identity_data = {}
    user.deleted_at = user.deleted_at or work.now
    await sessions.end(work, user)
    await users.drop_tokens(work.db, user)


def _blot(user: User, value: str) -> str:
    digest = hashlib.sha256(f"{user.id}{value}".encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


async def _found(work: Work, user_id: str, *, lock: bool = True) -> User:
    try:
        parsed = uuid.UUID(user_id)
    except ValueError as fault:
        raise IdentityError(404, "validation_failed", "user_id must be an UUID") from fault
    user = await users.by_id(work.db, parsed, lock=lock)
    if user is None:
        raise user_not_found()
    return user


async def listed(identity: Identity, page: int, per_page: int) -> tuple[list[Json], int]:
    if page < 1 or not 1 <= per_page <= MAXIMUM_PAGE:
        raise invalid("Bad Pagination Parameters")
    query = select(User).order_by(User.created_at.desc(), User.id).offset((page - 1) * per_page).limit(per_page)
    async with identity.reading() as work:
        total = await work.db.scalar(select(func.count()).select_from(User)) or 0
        rows = await work.db.scalars(query)
        return [user_json(user, with_identities=False) for user in rows], total

"""Links and codes that work once."""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import delete, select

from app.auth.embedded.errors import code_expired, invalid, link_expired
from app.auth.embedded.identity import Work
from app.auth.embedded.models import OneTimeToken, User

Kind = Literal["confirmation", "recovery", "email_change_current", "email_change_new", "reauthentication"]
MAXIMUM_ATTEMPTS = 5
GUESSES_COUNT_FOR = 86400

KINDS_OF: dict[str, tuple[Kind, ...]] = {
    "signup": ("confirmation",),
    "invite": ("confirmation",),
    "magiclink": ("recovery",),
    "recovery": ("recovery",),
    "email": ("confirmation", "recovery"),
    "email_change": ("email_change_current", "email_change_new"),
}


@dataclass(frozen=True)
class Minted:
    """A fresh token in clear, and the row that it took the place of."""

    row_id: uuid.UUID
    token: str
    code: str
    replaced: dict[str, Any] | None


def kinds_of(link_type: str) -> tuple[Kind, ...]:
    if link_type not in KINDS_OF:
        raise invalid("Invalid email verification type")
    return KINDS_OF[link_type]


async def mint(
    work: Work,
    user: User,
    kind: Kind,
    email: str,
    *,
    keeps_password: bool = False,
    flow_id: uuid.UUID | None = None,
    guesses: int = 0,
) -> Minted:
    """A token that replaces the person's earlier one of the same kind; wrong guesses count on for a day."""
    replaced = await _take_away(work, user, kind)
    if replaced and not work.expired(replaced["created_at"], GUESSES_COUNT_FOR):
        guesses = max(guesses, replaced["attempts"])
    token = ("pkce_" if flow_id else "") + secrets.token_urlsafe(32)
    code = f"{secrets.randbelow(1_000_000):06d}"
    row = OneTimeToken(
        id=uuid.uuid4(),
        user_id=user.id,
        kind=kind,
        token_sha256=_sha256(token),
        code_sha256=_sha256(f"{user.id}:{code}"),
        attempts=guesses,
        email=email,
        keeps_password=keeps_password,
        flow_id=flow_id,
        created_at=work.now,
    )
    work.db.add(row)
    await work.db.flush()
    return Minted(row.id, token, code, replaced)


async def last(work: Work, user: User, kind: Kind) -> OneTimeToken | None:
    query = select(OneTimeToken).where(OneTimeToken.user_id == user.id, OneTimeToken.kind == kind)
    found: OneTimeToken | None = await work.db.scalar(query)
    return found


async def _take_away(work: Work, user: User, kind: Kind) -> dict[str, Any] | None:
    await work.db.flush()
    mine = (OneTimeToken.user_id == user.id, OneTimeToken.kind == kind)
    row = (await work.db.execute(select(OneTimeToken.__table__).where(*mine))).mappings().first()
    await work.db.execute(delete(OneTimeToken).where(*mine))
    return dict(row) if row else None


async def put_back(work: Work, minted: Minted) -> None:
    """Undo `mint`, unless the token has been replaced or used meanwhile."""
    gone = await work.db.execute(delete(OneTimeToken).where(OneTimeToken.id == minted.row_id))
    if getattr(gone, "rowcount", 0) and minted.replaced:
        work.db.add(OneTimeToken(**minted.replaced))


async def consume_link(work: Work, link_type: str, token: str) -> OneTimeToken:
    """Of two that come at once, one gets it."""
    fitting = (OneTimeToken.token_sha256 == _sha256(token), OneTimeToken.kind.in_(kinds_of(link_type)))
    row: OneTimeToken | None = await work.db.scalar(delete(OneTimeToken).where(*fitting).returning(OneTimeToken))
    if row is None or work.expired(row.created_at, work.settings.link_lifetime):
        raise link_expired()
    return row


async def consume_code(work: Work, link_type: str, user: User | None, code: str) -> OneTimeToken:
    """Five wrong guesses end a code, but not the link that came with it."""
    if user is None:
        raise code_expired()
    mine = select(OneTimeToken).where(OneTimeToken.user_id == user.id, OneTimeToken.kind.in_(kinds_of(link_type)))
    rows = list(await work.db.scalars(mine.with_for_update()))
    alive = [r for r in rows if r.attempts < MAXIMUM_ATTEMPTS and not _expired(work, r)]
    row = next((r for r in alive if hmac.compare_digest(r.code_sha256, _sha256(f"{user.id}:{code}"))), None)
    if row is None:
        for guessed in alive:
            guessed.attempts += 1
        raise code_expired(keep=True)
    await work.db.delete(row)
    return row


def _expired(work: Work, row: OneTimeToken) -> bool:
    return work.expired(row.created_at, work.settings.link_lifetime)


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

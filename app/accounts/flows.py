"""Statements over sign-ins with a provider that have begun, and over token sets that wait to be fetched."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert

from app.models import oauth_flows, sealed_tokens

FLOW_LIFETIME = timedelta(minutes=10)
CODE_LIFETIME = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Flow:
    """One sign-in on its way, bound to the browser that began it."""

    provider: str
    next: str | None
    organization_name: str | None
    invitation_hash: str | None


def begin(connection: Connection, flow: Flow, state_hash: str, browser_hash: str, now: datetime) -> None:
    """Forgets those that were never finished, too."""
    connection.execute(delete(oauth_flows).where(oauth_flows.c.expires_at <= now))
    row = {"state_hash": state_hash, "browser_hash": browser_hash, "expires_at": now + FLOW_LIFETIME}
    connection.execute(insert(oauth_flows).values(**asdict(flow), **row))


def finish(connection: Connection, state_hash: str, browser_hash: str, now: datetime) -> Flow | None:
    """Once, and in the browser that began it; another browser does not use it up."""
    table = oauth_flows.c
    used = delete(oauth_flows).where(table.state_hash == state_hash, table.browser_hash == browser_hash)
    row = connection.execute(used.returning(oauth_flows)).one_or_none()
    if row is None or row.expires_at <= now:
        return None
    return Flow(row.provider, row.next, row.organization_name, row.invitation_hash)


def put_away(connection: Connection, code_hash: str, sealed: str, now: datetime) -> None:
    connection.execute(delete(sealed_tokens).where(sealed_tokens.c.expires_at <= now))
    row = {"code_hash": code_hash, "sealed": sealed, "expires_at": now + CODE_LIFETIME}
    connection.execute(insert(sealed_tokens).values(row))


def take_out(connection: Connection, code_hash: str, now: datetime) -> str | None:
    """Once."""
    used = delete(sealed_tokens).where(sealed_tokens.c.code_hash == code_hash)
    row = connection.execute(used.returning(sealed_tokens.c.sealed, sealed_tokens.c.expires_at)).one_or_none()
    return str(row.sealed) if row and row.expires_at > now else None

"""/auth/confirm and /auth/invitation, which mails lead to, /auth/outbox, and the files of these pages.

The links' tokens are not looked at here: a mail scanner that fetches a page uses nothing up.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.auth.routes import OPEN
from app.console import outbox, pages
from app.console.nearness import is_near
from app.errors import NotFound
from app.state import State, state_of

router = APIRouter(include_in_schema=False, dependencies=[OPEN])
BROWSED = ["GET", "HEAD"]


@router.api_route("/auth/confirm", methods=BROWSED)
async def confirm() -> Response:
    """One button, which follows the link of a mail."""
    return pages.stored_page("confirm")


@router.api_route("/auth/invitation", methods=BROWSED)
async def invitation() -> Response:
    """A newcomer chooses a password, or a member logs in, and joins."""
    return pages.stored_page("invitation")


@router.api_route("/auth/outbox", methods=BROWSED)
async def show_outbox(request: Request) -> Response:
    """Mails with their links: whoever sees them can be anybody, so that only the demo shows them, and only here."""
    state = state_of(request)
    if not (_keeps_mails(state) and is_near(request)):
        raise NotFound
    mails = await asyncio.to_thread(outbox.newest, state["settings"].data_dir / "outbox")
    return pages.framed("Outbox", outbox.as_html(mails))


@router.api_route("/static/{name}", methods=BROWSED)
async def static(name: str) -> Response:
    """A script or a style."""
    return pages.stored_file(name)


def _keeps_mails(state: State) -> bool:
    settings = state["settings"]
    return settings.demo and settings.smtp_url is None and state["identity"].embedded is not None

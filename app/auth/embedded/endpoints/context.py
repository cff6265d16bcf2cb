"""What every endpoint is given, and what all of them do alike."""

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError
from starlette.requests import Request
from starlette.responses import Response

from app.auth.embedded import http
from app.auth.embedded.errors import IdentityError, too_many_requests, unexpected
from app.auth.embedded.identity import Identity
from app.auth.embedded.limiter import Kind, Limiter
from app.auth.embedded.oauth import OAuth

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Context:
    """One request and the server that it came to."""

    request: Request
    identity: Identity
    oauth: OAuth
    limiter: Limiter

    async def admit(self, kind: Kind, email: str | None = None) -> None:
        seconds = await self.limiter.admit(kind, http.address(self.request), email.lower() if email else None)
        if seconds is not None:
            raise too_many_requests(max(1, int(seconds + 0.999)))


Endpoint = Callable[[Context], Awaitable[Response]]


def floored(endpoint: Endpoint) -> Endpoint:
    """Whatever happens, not before the floor: how long it took does not tell whether an address is known."""

    @functools.wraps(endpoint)
    async def wrapped(context: Context) -> Response:
        started = time.monotonic()
        try:
            return await endpoint(context)
        finally:
            await asyncio.sleep(started + context.identity.settings.response_floor - time.monotonic())

    return wrapped


def as_route(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def route(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(status_code=405, headers={"allow": "GET"})
        state = request.app.state
        try:
            return await endpoint(Context(request, state.identity, state.oauth, state.limiter))
        except IdentityError as error:
            return http.refusal(request, error)
        except IntegrityError:
            return http.refusal(request, IdentityError(409, "conflict", "Another request was faster, try again"))
        except Exception:  # the client still gets JSON, and nothing of what went wrong
            log.exception("%s %s failed", request.method, request.url.path)
            return http.refusal(request, unexpected("Unexpected failure, see the server's log"))

    return route

"""Whether the process lives, whether what it needs can be reached, and what Prometheus wants to know of it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Mapping

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import Connection, text
from starlette.responses import Response

from app import schemas
from app.auth.credentials import bearer
from app.errors import NotFound, Unauthorized, Unavailable
from app.limits.dependencies import limits_of
from app.openapi import answers, refusals
from app.responses import json_response
from app.state import Knowledge, state_of

logger = logging.getLogger(__name__)

PATIENCE = 5.0
RETRY_AFTER = 5

READY = {"status": "ok", "checks": {"database": "ok", "index": "ok", "identity": "ok"}}
READY_RESPONSES = {
    **answers(200, "It can answer.", READY, schemas.Ready),
    **refusals({503: "`NOT_READY`: `checks` names what cannot be reached."}),
}

router = APIRouter(tags=["Health"])


@router.get("/healthz", responses=answers(200, "It lives.", {"status": "ok"}, schemas.Alive))
async def alive() -> Response:
    """Whether the process lives."""
    return json_response({"status": "ok"})


@router.get("/readyz", responses=READY_RESPONSES)
async def ready(request: Request, knowledge: Knowledge) -> Response:
    """Whether it can answer: 503 names what cannot be reached."""
    wanted = {
        "database": knowledge.database.read(_touch),
        "index": knowledge.ping(),
        "identity": state_of(request)["identity"].ping(),
    }
    if state_of(request)["settings"].redis_url:
        wanted["redis"] = limits_of(request).ping()
    checks = await run(wanted)
    missing = [name for name, result in checks.items() if result != "ok"]
    if missing:
        raise Unavailable("NOT_READY", f"Not ready: {', '.join(missing)}.", RETRY_AFTER, checks=checks)
    return json_response({"status": "ok", "checks": checks})


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Raises NotFound where no token is set, Unauthorized for another one."""
    state = state_of(request)
    expected = state["settings"].metrics_token
    if expected is None:
        raise NotFound
    if not secrets.compare_digest(bearer(request).encode(), expected.get_secret_value().encode()):
        raise Unauthorized
    counted = state["metrics"]
    counted.pending.set(await state["knowledge"].count_pending())
    counted.unreranked.set(state["knowledge"].unreranked)
    counted.unchecked.set(limits_of(request).redis.unchecked)
    return Response(generate_latest(counted.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


async def run(checks: Mapping[str, Awaitable[object]]) -> dict[str, str]:
    results = await asyncio.gather(*(_check(name, work) for name, work in checks.items()))
    return dict(zip(checks, results, strict=True))


async def _check(name: str, work: Awaitable[object]) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            await work
    except Exception:
        logger.warning("%s cannot be reached", name, exc_info=True)
        return "failed"
    return "ok"


def _touch(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))

"""An identity server that is down, slow, or answers nonsense."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager

from app.accounts import floor as floors
from app.accounts.floor import Floor
from app.auth import client as clients
from app.config import Settings
from app.main import create_app
from pipelines.knowledge import KnowledgeBase
from tests.app.accounts.conftest import common
from tests.app.accounts.house import PASSWORD, refused
from tests.app.conftest import calling

Answer = Callable[[httpx.Request], httpx.Response]
UNAVAILABLE = (503, "IDENTITY_UNAVAILABLE")
KEYS = {"SUPABASE_URL": "http://supabase.test", "SUPABASE_ANON_KEY": "anon", "SUPABASE_SERVICE_ROLE_KEY": "service"}
LOGIN = {"email": "ann@example.com", "password": PASSWORD}
EVERY: list[tuple[str, dict[str, Any]]] = [
    ("/login", LOGIN),
    ("/signup", LOGIN | {"organizationName": "Birders"}),
    ("/refresh", {"refresh_token": "x"}),
    ("/verify", {"token_hash": "x", "type": "signup"}),
]


@asynccontextmanager
async def supabase(
    folder: Path, knowledge: KnowledgeBase, answer: Answer, **settings: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """The service with an identity server outside that answers so."""
    app = create_app(Settings(**common(folder) | KEYS | settings), knowledge)
    async with LifespanManager(app) as manager, calling(manager.app) as client:
        http = manager._state["identity"].http
        http._transport, http._mounts = httpx.MockTransport(answer), {}
        yield client


def error(status: int, code: str | None, **more: Any) -> httpx.Response:
    """As Supabase writes it."""
    headers = {"X-Supabase-Api-Version": "2024-01-01"} if code else {}
    return httpx.Response(status, json={"code": code, "message": "secret detail", **more}, headers=headers)


def unreachable(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


NONSENSE: dict[str, Answer] = {
    "unreachable": unreachable,
    "502": lambda _: httpx.Response(502, text="<html>Bad gateway</html>"),
    "500": lambda _: error(500, "unexpected_failure"),
    "HTML": lambda _: httpx.Response(200, text="<html>Hello</html>"),
    "an empty answer": lambda _: httpx.Response(200),
    "another JSON": lambda _: httpx.Response(200, json={"hello": "world"}),
    "a redirect": lambda _: httpx.Response(302, headers={"Location": "http://evil.example/"}),
    "an unknown refusal": lambda _: error(418, "teapot"),
    "no key of ours": lambda _: httpx.Response(401, json={"message": "Invalid API key"}),
}


@pytest.mark.parametrize("how", list(NONSENSE))
async def test_no_answer(tmp_path: Path, knowledge: KnowledgeBase, how: str) -> None:
    """59, 60: 503 with a time to come back, in our own words; a wrong API key is no wrong password."""
    async with supabase(tmp_path, knowledge, NONSENSE[how]) as client:
        for path, body in EVERY:
            answer = await client.post(f"/api/auth{path}", json=body)
            assert refused(answer) == UNAVAILABLE
            assert int(answer.headers["retry-after"]) > 0
            assert "secret" not in answer.text
        ready = await client.get("/readyz")
        expected = "ok" if how in ("HTML", "an empty answer", "another JSON") else "failed"
        assert (ready.json()["checks"]["identity"], ready.json()["checks"]["database"]) == (expected, "ok")


async def test_too_slow(tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """59: what takes longer than the deadline is 503."""
    monkeypatch.setattr(clients, "DEADLINE", 0.01)

    async def slow(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(3600)
        raise AssertionError

    async with supabase(tmp_path, knowledge, slow) as client:  # type: ignore[arg-type]
        assert refused(await client.post("/api/auth/login", json=LOGIN)) == UNAVAILABLE


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (400, "invalid_credentials", (401, "INVALID_CREDENTIALS")),
        (400, "user_banned", (401, "INVALID_CREDENTIALS")),
        (400, "validation_failed", (401, "INVALID_CREDENTIALS")),
        (400, "email_not_confirmed", (403, "EMAIL_NOT_VERIFIED")),
        (429, "over_request_rate_limit", (429, "RATE_LIMITED")),
        (422, "email_provider_disabled", (404, "PROVIDER_NOT_ENABLED")),
    ],
)
async def test_refused_logins(
    tmp_path: Path, knowledge: KnowledgeBase, status: int, code: str, expected: tuple[int, str]
) -> None:
    """Supabase's codes become ours."""
    async with supabase(tmp_path, knowledge, lambda _: error(status, code)) as client:
        answer = await client.post("/api/auth/login", json=LOGIN)
        assert refused(answer) == expected
        assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (error(422, "weak_password", weak_password={"reasons": ["length", "pwned"]}), (400, "WEAK_PASSWORD")),
        (error(422, "signup_disabled"), (403, "SIGNUP_CLOSED")),
        (error(429, "over_email_send_rate_limit"), (201, None)),
        (error(422, "user_already_exists"), (201, None)),
    ],
)
async def test_refused_sign_ups(
    tmp_path: Path, knowledge: KnowledgeBase, answer: httpx.Response, expected: tuple[int, str | None]
) -> None:
    """What would tell that an address is known is answered as any sign-up."""
    async with supabase(tmp_path, knowledge, lambda _: answer) as client:
        body = LOGIN | {"organizationName": "Birders"}
        given = await client.post("/api/auth/signup", json=body)
        assert (given.status_code, given.json().get("code")) == expected


async def test_a_password_planted_at_supabase(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    """30: Supabase keeps the first password of an address that is not confirmed, so that its user makes room."""
    moments = {"created_at": "2026-01-01T00:00:00Z", "confirmation_sent_at": "2026-01-01T01:00:00Z"}
    identity = {
        "id": "1", "identity_id": "1", "user_id": "1", "provider": "email", "identity_data": {},
        "created_at": moments["created_at"],
    }  # fmt: skip
    pending = {"id": "11111111-1111-4111-8111-111111111111", "aud": "", "app_metadata": {}, "user_metadata": {}}
    fresh = {**pending, **moments, "id": "22222222-2222-4222-8222-222222222222", "identities": [identity]}
    fresh["confirmation_sent_at"] = fresh["created_at"]
    answers = [{**pending, **moments, "identities": [identity]}, {}, fresh]
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        return httpx.Response(200, json=answers.pop(0))

    async with supabase(tmp_path, knowledge, answer) as client:
        given = await client.post("/api/auth/signup", json=LOGIN | {"organizationName": "Birders"})
    assert (given.status_code, given.json()["user"]["id"]) == (201, fresh["id"])
    assert asked == ["POST /auth/v1/signup", f"DELETE /auth/v1/admin/users/{pending['id']}", "POST /auth/v1/signup"]


@pytest.mark.parametrize("code", ["otp_disabled", "over_email_send_rate_limit", "unexpected_failure"])
@pytest.mark.parametrize("path", ["/magic-link", "/password/reset", "/resend-verification"])
async def test_mails_that_are_not_sent(tmp_path: Path, knowledge: KnowledgeBase, path: str, code: str) -> None:
    """Whatever kept the mail from being sent, the answer is the same."""
    status = 500 if code == "unexpected_failure" else 422
    async with supabase(tmp_path, knowledge, lambda _: error(status, code)) as client:
        assert (await client.post(f"/api/auth{path}", json={"email": "ann@example.com"})).status_code == 200


async def test_a_token_that_the_identity_server_gives_is_checked(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    """What it answers a login with is believed no more than what a client brings."""
    user = {
        "id": "x",
        "aud": "authenticated",
        "app_metadata": {},
        "user_metadata": {},
        "created_at": "2026-01-01T00:00:00Z",
    }
    session = {"access_token": "a.b.c", "refresh_token": "r", "expires_in": 3600, "token_type": "bearer", "user": user}
    async with supabase(tmp_path, knowledge, lambda _: httpx.Response(200, text=json.dumps(session))) as client:
        assert refused(await client.post("/api/auth/login", json=LOGIN)) == UNAVAILABLE


async def test_providers_through_an_outage(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    """What was switched on when it was last heard of stays offered."""
    answers = [httpx.Response(200, json={"external": {"google": True, "azure": False}, "disable_signup": False})]

    def once(request: httpx.Request) -> httpx.Response:
        return answers.pop() if answers else unreachable(request)

    async with supabase(tmp_path, knowledge, once) as client:
        first = await client.get("/api/auth/providers")
        assert [provider["id"] for provider in first.json()["providers"]] == ["google"]
        assert (await client.get("/api/auth/providers")).json() == first.json()
    async with supabase(tmp_path, knowledge, unreachable) as client:
        assert refused(await client.get("/api/auth/providers")) == UNAVAILABLE


class Time:
    """Stands still but for sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(floors, "time", time)
    monkeypatch.setattr(floors, "sleep", time.sleep)
    return time


@pytest.mark.parametrize("work", [0.0, 0.1, 0.49])
@pytest.mark.parametrize("fails", [False, True])
async def test_the_floor(clock: Time, work: float, *, fails: bool) -> None:
    """26, 27: an answer takes the same time whatever was done for it, and whether or not it was refused."""

    async def answer() -> None:
        async with Floor(0.5).held():
            await clock.sleep(work)
            if fails:
                raise ValueError

    if fails:
        with pytest.raises(ValueError):  # noqa: PT011 - made here
            await answer()
    else:
        await answer()
    assert clock.now == pytest.approx(0.5)


async def test_a_slow_mail_server() -> None:
    """26, 29: the answer does not wait for it, and the mail goes out all the same."""
    floor, sent, go = Floor(0.001), asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        await go.wait()
        sent.set()

    await floor.answer_at(slow())
    assert not sent.is_set()
    go.set()
    await floor.close()
    assert sent.is_set()


async def test_a_refusal_before_the_floor() -> None:
    """It is told; one that comes later is only logged."""
    floor = Floor(0.001)

    async def refuse() -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - made here
        await floor.answer_at(refuse())
    await floor.close()

"""The limits over HTTP: what is refused, what is given back, what the headers say."""

import asyncio
import logging
import socket
from datetime import UTC, datetime

import httpx
import pytest
from slowapi import Limiter

from app.limits.storage import close, make_limiter
from pipelines.store.database import Database
from tests.app.limits.conftest import START, FakeClock
from tests.app.limits.service import Service, make_service

RATE = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
QUOTA = ("x-ratelimit-quota-limit", "x-ratelimit-quota-remaining", "x-ratelimit-quota-reset")
NOW = START // 1_000_000
NEXT_MONTH = str(int(datetime(2026, 10, 1, tzinfo=UTC).timestamp()))


@pytest.fixture
def service(sqlite: Database, limiter: Limiter, clock: FakeClock) -> Service:
    return make_service(sqlite, limiter, clock)


def rate(response: httpx.Response) -> tuple[int, ...]:
    return tuple(int(response.headers[name]) for name in RATE)


def quota(response: httpx.Response) -> tuple[str, ...]:
    return tuple(response.headers[name] for name in QUOTA)


def refusal(response: httpx.Response) -> tuple[str, str]:
    """Its error and code, once it is sure that the rest is as it should be."""
    body = response.json()
    assert response.status_code == 429
    assert isinstance(body["retry_after"], int)
    assert body["retry_after"] >= 1
    assert response.headers["retry-after"] == str(body["retry_after"])
    assert body["message"]
    assert body["request_id"] == response.headers["x-request-id"]
    return body["error"], body["code"]


async def test_the_general_limit(service: Service) -> None:
    async with service.client(await service.organization()) as client:
        responses = [await client.get("/things") for _ in range(21)]
        assert [response.status_code for response in responses] == [200] * 20 + [429]
        assert rate(responses[0]) == (20, 19, NOW + 6)
        assert rate(responses[19]) == rate(responses[20]) == (20, 0, NOW + 120)
        assert refusal(responses[20]) == ("Too Many Requests", "RATE_LIMITED")
        assert responses[20].json()["retry_after"] == 6
        assert not any(name in responses[0].headers for name in QUOTA)
        service.clock.advance(6)
        assert (await client.get("/things")).status_code == 200


@pytest.mark.parametrize(("plan", "burst"), [("free", 20), ("pro", 200)])
async def test_200_parallel_requests_and_more_admit_the_burst(service: Service, plan: str, burst: int) -> None:
    async with service.client(await service.organization(plan)) as client:
        responses = await asyncio.gather(*(client.get("/things") for _ in range(burst + 30)))
    assert [response.status_code for response in responses].count(200) == burst


async def test_organizations_do_not_share(service: Service) -> None:
    async with service.client(await service.organization()) as client:
        assert rate(await client.get("/things"))[1] == 19
    async with service.client(await service.organization()) as client:
        assert rate(await client.get("/things"))[1] == 19


async def test_questions_a_minute(service: Service) -> None:
    async with service.client(await service.organization()) as client:
        responses = [await client.post("/questions") for _ in range(6)]
        assert [response.status_code for response in responses] == [200] * 5 + [429]
        assert rate(responses[0])[:2] == (5, 4)
        assert quota(responses[0]) == ("100", "99", NEXT_MONTH)
        assert refusal(responses[5]) == ("Rate Limit Exceeded", "RATE_LIMITED")
        assert rate(responses[5])[:2] == (5, 0)
        assert quota(responses[5]) == ("100", "95", NEXT_MONTH)
        assert rate(await client.get("/things"))[1] == 14, "the refused question cost nothing"


async def test_the_month(service: Service) -> None:
    organization_id = await service.organization("pro")
    for _ in range(999):
        await service.limits._quota.reserve(organization_id, None)
    async with service.client(organization_id) as client:
        assert quota(await client.post("/questions")) == ("1000", "0", NEXT_MONTH)
        refused = await client.post("/questions")
        assert refusal(refused) == ("Rate Limit Exceeded", "QUOTA_EXCEEDED")
        assert refused.json()["retry_after"] == int(NEXT_MONTH) - NOW
        assert quota(refused) == ("1000", "0", NEXT_MONTH)
        assert rate(refused)[:2] == (20, 19), "the refused question cost nothing"


async def test_the_general_limit_on_questions(service: Service) -> None:
    async with service.client(await service.organization()) as client:
        for _ in range(20):
            await client.get("/things")
        refused = await client.post("/questions")
    assert refusal(refused) == ("Too Many Requests", "RATE_LIMITED")
    assert rate(refused)[:2] == (20, 0)
    assert quota(refused) == ("100", "100", NEXT_MONTH)


async def test_the_limit_that_binds_first(service: Service) -> None:
    async with service.client(await service.organization()) as client:
        for _ in range(17):
            await client.get("/things")
        assert rate(await client.post("/questions"))[:2] == (20, 2)


async def test_enterprise_is_unlimited_by_month(service: Service) -> None:
    async with service.client(await service.organization("enterprise")) as client:
        assert quota(await client.post("/questions")) == ("unlimited", "unlimited", NEXT_MONTH)


@pytest.mark.parametrize(
    ("end", "requests", "questions"),
    [("200", 1, 1), ("400", 1, 0), ("404", 1, 0), ("500", 0, 0), ("503", 0, 0), ("broken stream", 0, 0)],
)
async def test_what_a_question_costs(service: Service, end: str, requests: int, questions: int) -> None:
    organization_id = await service.organization()
    async with service.client(organization_id) as client:
        response = await client.post("/questions", params={"end": end})
    used = await service.limits.usage(organization_id)
    assert used["requests"]["remaining"] == 20 - requests
    assert used["queries_minute"]["remaining"] == 5 - questions
    assert used["queries_month"]["used"] == questions
    if end != "broken stream":
        assert (rate(response)[1], quota(response)[1]) == (5 - questions, str(100 - questions))


@pytest.mark.parametrize(("end", "cost"), [("204", 1), ("400", 1), ("404", 1), ("500", 0), ("503", 0)])
async def test_what_a_request_costs(service: Service, end: str, cost: int) -> None:
    async with service.client(await service.organization()) as client:
        assert rate(await client.get("/things", params={"end": end}))[1] == 20 - cost


async def test_usage(service: Service) -> None:
    organization_id = await service.organization()
    async with service.client(organization_id) as client:
        asked = await client.post("/questions")
    used = await service.limits.usage(organization_id)
    assert used == {
        "plan": "free",
        "requests": {"limit": 10, "burst": 20, "remaining": 19, "reset": NOW + 6},
        "queries_minute": {"limit": 5, "remaining": 4, "reset": rate(asked)[2]},
        "queries_month": {"limit": 100, "used": 1, "remaining": 99, "reset": int(NEXT_MONTH)},
    }
    unlimited = (await service.limits.usage(await service.organization("enterprise")))["queries_month"]
    assert (unlimited["limit"], unlimited["remaining"], unlimited["used"]) == (None, None, 0)


async def test_off(sqlite: Database, clock: FakeClock) -> None:
    service = make_service(sqlite, make_limiter(None, enabled=False), clock)
    organization_id = await service.organization()
    async with service.client(organization_id) as client:
        responses = [await client.post("/questions") for _ in range(30)]
        responses += [await client.post("/login", params={"email": "a@b.example"}) for _ in range(50)]
    assert {response.status_code for response in responses} == {200}
    assert not any("ratelimit" in name for response in responses for name in response.headers)
    assert (await service.limits.usage(organization_id))["queries_month"]["used"] == 0


async def test_without_redis_requests_pass_and_the_month_counts(
    sqlite: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    limiter = make_limiter("redis://127.0.0.1:1")
    service = make_service(sqlite, limiter, clock)
    organization_id = await service.organization()
    async with service.client(organization_id) as client:
        with caplog.at_level(logging.WARNING, logger="app.limits.leniency"):
            responses = [await client.post("/questions") for _ in range(100)]
        refused = await client.post("/questions")
        login = await client.post("/login", params={"email": "a@b.example"})
    await close(limiter)
    assert {response.status_code for response in responses} == {200}
    assert rate(responses[99]) == (5, 5, NOW)
    assert quota(responses[99])[1] == "0"
    assert refusal(refused)[1] == "QUOTA_EXCEEDED"
    assert login.status_code == 200
    assert service.limits.redis.unchecked >= 200
    assert "Redis is away" in caplog.text


async def test_redis_is_asked_again_after_a_pause(sqlite: Database, clock: FakeClock, redis_url: str) -> None:
    limiter = make_limiter(redis_url)
    service = make_service(sqlite, limiter, clock)
    service.limits.redis._note(OSError())
    async with service.client(await service.organization()) as client:
        assert rate(await client.get("/things"))[1] == 20
        clock.advance(2)
        assert rate(await client.get("/things"))[1] == 19
    await close(limiter)


async def test_a_redis_that_never_answers_holds_nobody_up_for_long(sqlite: Database, clock: FakeClock) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    limiter = make_limiter(f"redis://127.0.0.1:{silent.getsockname()[1]}")
    service = make_service(sqlite, limiter, clock)
    async with service.client(await service.organization()) as client, asyncio.timeout(5):
        responses = await asyncio.gather(*(client.get("/things") for _ in range(30)))
    await close(limiter)
    silent.close()
    assert {response.status_code for response in responses} == {200}

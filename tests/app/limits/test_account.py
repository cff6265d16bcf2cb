"""The limits of the account endpoints."""

import uuid

import pytest
from slowapi import Limiter

from pipelines.store.database import Database
from tests.app.limits.conftest import FakeClock
from tests.app.limits.service import Service, make_service
from tests.app.limits.test_limits import refusal


@pytest.fixture
def service(sqlite: Database, limiter: Limiter, clock: FakeClock) -> Service:
    return make_service(sqlite, limiter, clock, trusted="127.0.0.1")


@pytest.fixture
def address() -> str:
    """A client that no other test is."""
    return f"2001:db8:{uuid.uuid4().hex[:4]}:{uuid.uuid4().hex[:4]}::1"


def email() -> str:
    return f"{uuid.uuid4().hex}@kb.example"


async def test_40_at_once_and_20_a_minute_by_client_address(service: Service, address: str) -> None:
    async with service.client(**{"X-Forwarded-For": address}) as client:
        responses = [await client.post("/login", params={"email": email()}) for _ in range(41)]
        assert [response.status_code for response in responses] == [200] * 40 + [429]
        assert refusal(responses[40]) == ("Too Many Requests", "RATE_LIMITED")
        assert responses[40].json()["retry_after"] == 3
        assert not any("ratelimit" in name for response in responses for name in response.headers)
        service.clock.advance(3)
        assert (await client.post("/login", params={"email": email()})).status_code == 200


async def test_5_a_minute_by_email_address_in_any_spelling(service: Service, address: str) -> None:
    known = email()
    async with service.client(**{"X-Forwarded-For": address}) as client:
        for spelling in (known, known.upper(), known.title(), f" {known}", known):
            assert (await client.post("/login", params={"email": spelling})).status_code == 200
        refused = await client.post("/login", params={"email": known})
        assert refusal(refused) == ("Too Many Requests", "RATE_LIMITED")
        assert refused.json()["retry_after"] == 12
        assert (await client.post("/mail", params={"email": known})).status_code == 200, "mails are counted apart"


async def test_what_is_refused_by_email_costs_the_client_address_nothing(service: Service, address: str) -> None:
    known = email()
    async with service.client(**{"X-Forwarded-For": address}) as client:
        for _ in range(60):
            await client.post("/login", params={"email": known})
        others = [await client.post("/login", params={"email": email()}) for _ in range(36)]
    assert [response.status_code for response in others] == [200] * 35 + [429]


@pytest.mark.parametrize(("end", "status_after"), [("400", 429), ("503", 503)])
async def test_only_our_own_failures_are_free(service: Service, address: str, end: str, status_after: int) -> None:
    asked = {"email": email(), "end": end}
    async with service.client(**{"X-Forwarded-For": address}) as client:
        for _ in range(5):
            await client.post("/login", params=asked)
        assert (await client.post("/login", params=asked)).status_code == status_after

"""The contract's frame: error shapes, headers, methods, sizes, limits, time."""

import dataclasses
import time

import pytest

from app.auth.embedded.endpoints import accounts

from .house import PASSWORD, URL, Builder, House, good, new_address, refused

WRONG = {"email": "nobody@example.com", "password": "wrong one"}


async def test_new_errors(house: House) -> None:
    """With the version header errors carry code and message, and the header comes back."""
    answer = await house.post("/token?grant_type=password", WRONG)
    assert answer.json() == {"code": "invalid_credentials", "message": "Invalid login credentials"}
    assert answer.headers["x-supabase-api-version"] == "2024-01-01"
    assert answer.headers["x-sb-error-code"] == "invalid_credentials"


@pytest.mark.parametrize("version", [None, "2023-01-01", "nonsense", ""])
async def test_old_errors(house: House, version: str | None) -> None:
    """Without it, or with an older one, errors have their old shape."""
    headers = {} if version is None else {"X-Supabase-Api-Version": version}
    answer = await house.http.post(f"{URL}/token?grant_type=password", json=WRONG, headers=headers)
    told = {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"}
    assert answer.json() == told
    assert "x-supabase-api-version" not in answer.headers


BODIES = [b"", b"{", b"[]", b'"x"', b"5", b'{"email": NaN}', b'{"email": "\\ud800"}', b"\xff", b"[" * 100_000]


@pytest.mark.parametrize("body", BODIES)
async def test_bad_json(house: House, body: bytes) -> None:
    """A body that is no JSON object is 400 `bad_json`."""
    answer = await house.call("POST", "/signup", content=body)
    assert refused(answer) == (400, "bad_json")


async def test_null_is_an_empty_object(house: House) -> None:
    """`null` as a body counts as one without members."""
    assert refused(await house.call("POST", "/signup", content=b"null")) == (422, "anonymous_provider_disabled")


async def test_large_bodies(house: House) -> None:
    """A body over a mebibyte is refused."""
    answer = await house.post("/signup", {"email": "a@example.com", "password": "x" * 1_100_000})
    assert refused(answer) == (413, "request_entity_too_large")


async def test_unknown_paths_and_methods(house: House) -> None:
    """An unknown path is 404 in plain text, a wrong method 405 that names the right one."""
    lost = await house.call("GET", "/nowhere")
    assert (lost.status_code, lost.text) == (404, "404 page not found\n")
    for method, path in (("GET", "/signup"), ("DELETE", "/token")):
        answer = await house.call(method, path)
        assert (answer.status_code, answer.headers["allow"], answer.content) == (405, "POST", b"")


@pytest.mark.parametrize("grant", ["", "?grant_type=nonsense", "?grant_type=client_credentials"])
async def test_unknown_grants(house: House, grant: str) -> None:
    """A grant that does not exist is refused."""
    assert refused(await house.post(f"/token{grant}", WRONG)) == (400, "invalid_credentials")


async def test_preflight(house: House) -> None:
    """Pages of other origins may ask; there is no cookie that they could abuse."""
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    answer = await house.http.options(f"{URL}/token", headers=asked)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")
    assert "access-control-allow-credentials" not in answer.headers
    plain = await house.http.get(f"{URL}/health", headers={"Origin": "https://app.example"})
    assert plain.headers["access-control-allow-origin"] == "*"


async def test_health_and_settings(house: House) -> None:
    """Health answers, and the settings name what is switched on."""
    assert good(await house.call("GET", "/health"))["name"]
    told = good(await house.call("GET", "/settings"))
    assert (told["external"]["email"], told["external"]["google"], told["disable_signup"]) == (True, False, False)


async def test_faults_tell_nothing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours is a JSON 500 without a word of what went wrong."""

    async def broken(*_args: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(accounts.links, "recover", broken)
    answer = await house.post("/recover", {"email": "a@example.com"})
    assert refused(answer) == (500, "unexpected_failure")
    assert "secret" not in answer.text


class OneEach:
    """Admits each kind and e-mail once."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str | None]] = set()
        self.addresses: set[str | None] = set()

    async def admit(self, kind: str, address: str | None, email: str | None) -> float | None:
        self.addresses.add(address)
        known = (kind, email) in self.seen
        self.seen.add((kind, email))
        return 12.3 if known else None


async def test_limiter(build: Builder) -> None:
    """Where the house's limiter refuses, the answer is 429 and says when to come again; case does not matter."""
    limiter, address = OneEach(), new_address()
    house = await build(limiter=limiter)
    forged = {"X-Forwarded-For": "1.2.3.4", "Sb-Forwarded-For": "1.2.3.4"}
    good(await house.post("/recover", {"email": address}))
    answer = await house.post("/recover", {"email": address.upper()}, headers=forged)
    assert refused(answer) == (429, "over_request_rate_limit")
    assert answer.headers["retry-after"] == "13"
    assert limiter.addresses == {"127.0.0.1"}


FLOORED = [
    ("/signup", {"password": PASSWORD}),
    ("/token?grant_type=password", {"password": PASSWORD}),
    ("/otp", {"create_user": False}),
    ("/recover", {}),
    ("/resend", {"type": "signup"}),
]


@pytest.mark.parametrize(("path", "body"), FLOORED)
async def test_time_tells_nothing(build: Builder, path: str, body: dict[str, object]) -> None:
    """Requests that could tell whether an address is known take no less than the floor, known or not."""
    house, known = await build(response_floor=0.3), new_address()
    user = {"email": known, "password": PASSWORD, "email_confirm": True}
    good(await house.admin("POST", "/admin/users", user))
    for address in (known, new_address()):
        started = time.monotonic()
        await house.post(path, {"email": address, **body})
        assert time.monotonic() - started >= 0.29


async def test_listener_cannot_break_anything(build: Builder) -> None:
    """A listener that fails does not undo what has happened."""
    house = await build()

    async def fails(_event: object) -> None:
        raise RuntimeError("listener")

    deaf = dataclasses.replace(house.identity, listener=fails)
    async with deaf.transaction() as work:
        work.record("something", None)


async def test_secrets_stay_inside(house: House) -> None:
    """Neither hashes nor keys are in what people and administrators are told."""
    session = await house.member()
    told = str(session) + str(good(await house.admin("GET", f"/admin/users/{session['user']['id']}")))
    assert "argon2" not in told
    assert "password_hash" not in told
    assert house.service not in told

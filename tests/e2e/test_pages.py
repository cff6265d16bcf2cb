"""The pages that mails lead to, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.browser import Page, browsing
from tests.e2e.running import free_port, serving

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def home(new_home: Callable[[], Path]) -> Path:
    return new_home()


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    port = free_port()
    with serving(home, port=port, KB_PUBLIC_URL=f"http://127.0.0.1:{port}", KB_IDENTITY_FLOOR="0") as (url, _):
        yield url


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browsing(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def mailed(home: Path) -> str:
    """The link of the newest mail."""
    newest = max((home / "outbox").iterdir(), key=lambda path: path.name).read_text()
    return re.search(r"http://\S+", newest)[0]  # type: ignore[index]


def test_a_user_confirms_and_a_colleague_joins(home: Path, address: str, page: Page) -> None:
    """By the buttons of two mails; what opens the door is in no address bar, and each link is good for once."""
    with httpx.Client(base_url=address, timeout=60) as client:
        ada = {"email": "ada@example.com", "password": PASSWORD}
        assert client.post("/api/auth/signup", json=ada | {"organizationName": "Acme"}).status_code == 201
        link = mailed(home)
        page.open(link)
        page.press("#submit")
        page.wait_for_text("Your address is confirmed")
        assert page.run("location.search + location.hash") == ""
        page.open(link)
        page.press("#submit")
        page.wait_for("document.querySelector('#refusal').innerText")

        session = client.post("/api/auth/login", json=ada).json()
        client.headers["Authorization"] = f"Bearer {session['access_token']}"
        organization = f"/api/organizations/{session['user']['organization_id']}"
        invited = client.post(f"{organization}/members", json={"email": "bob@example.com", "role": "member"})
        assert invited.status_code == 201
        page.open(mailed(home))
        page.fill("#newcomer [name=email]", "bob@example.com")
        page.fill("#newcomer [name=password]", PASSWORD)
        page.press("#newcomer button")
        page.wait_for_text("You have joined.")
        members = client.get(f"{organization}/members").json()["members"]
    assert [(one["email"], one["role"]) for one in members] == [
        ("ada@example.com", "owner"),
        ("bob@example.com", "member"),
    ]


def test_nothing_of_a_page_is_refused_by_its_own_policy(address: str, page: Page) -> None:
    """Scripts and styles load under the page's Content-Security-Policy."""
    page.open(f"{address}/auth/confirm?token_hash=x&type=signup")
    page.press("#submit")
    assert page.run("document.styleSheets.length") == 1
    assert page.run("[...document.styleSheets[0].cssRules].length > 0")

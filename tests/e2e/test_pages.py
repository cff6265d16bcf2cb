"""The pages that mails lead to, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

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
        ada = sign_up(client, "ada@example.com")
        link = mailed(home)
        page.open(link)
        page.press("#submit")
        page.wait_for_text("Your address is confirmed")
        assert page.run("location.search + location.hash") == ""
        page.open(link)
        page.press("#submit")
        page.wait_for("document.querySelector('#refusal').innerText")
        organization = log_in(client, ada)
        invite(client, organization, "bob@example.com")
        join(page, mailed(home), "newcomer", "bob@example.com")
        assert members_of(client, organization) == {"ada@example.com": "owner", "bob@example.com": "member"}


@pytest.mark.parametrize("form", ["newcomer", "member"])
def test_somebody_with_an_account_joins(home: Path, address: str, page: Page, form: str) -> None:
    """Whichever form they fill in: when the page says so, the invitation is accepted."""
    owner, guest = f"owner-{form}@example.com", f"guest-{form}@example.com"
    with httpx.Client(base_url=address, timeout=60) as client:
        for email in (guest, owner):
            body = sign_up(client, email)
            token = dict(parse_qsl(urlsplit(mailed(home)).query))
            assert client.post("/api/auth/verify", json=token).status_code == 200
        organization = log_in(client, body)
        invite(client, organization, guest)
        join(page, mailed(home), form, guest)
        assert members_of(client, organization) == {owner: "owner", guest: "member"}
        assert client.get(f"{organization}/invitations").json()["invitations"] == []


def sign_up(client: httpx.Client, email: str) -> dict[str, str]:
    """What they log in with."""
    account = {"email": email, "password": PASSWORD}
    assert client.post("/api/auth/signup", json=account | {"organizationName": "Acme"}).status_code == 201
    return account


def log_in(client: httpx.Client, account: dict[str, str]) -> str:
    """The address of their organization."""
    session = client.post("/api/auth/login", json=account).json()
    client.headers["Authorization"] = f"Bearer {session['access_token']}"
    return f"/api/organizations/{session['user']['organization_id']}"


def invite(client: httpx.Client, organization: str, email: str) -> None:
    assert client.post(f"{organization}/members", json={"email": email, "role": "member"}).status_code == 201


def join(page: Page, link: str, form: str, email: str) -> None:
    page.open(link)
    page.fill(f"#{form} [name=email]", email)
    page.fill(f"#{form} [name=password]", PASSWORD)
    page.press(f"#{form} button")
    page.wait_for_text("You have joined.")


def members_of(client: httpx.Client, organization: str) -> dict[str, str]:
    """Their roles by their addresses."""
    return {one["email"]: one["role"] for one in client.get(f"{organization}/members").json()["members"]}


def test_nothing_of_a_page_is_refused_by_its_own_policy(address: str, page: Page) -> None:
    """Scripts and styles load under the page's Content-Security-Policy."""
    page.open(f"{address}/auth/confirm?token_hash=x&type=signup")
    page.press("#submit")
    assert page.run("document.styleSheets.length") == 1
    assert page.run("[...document.styleSheets[0].cssRules].length > 0")

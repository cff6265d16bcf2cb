"""Pages that mails lead to, and the files that they load."""

import re

import pytest

from tests.app.accounts.house import House, refused

PAGES = ("/auth/confirm", "/auth/invitation")
FILES = {"pages.css": "text/css", "calls.js": "text/javascript", "confirm.js": "text/javascript"}


@pytest.mark.parametrize("path", PAGES)
async def test_a_page(embedded: House, path: str) -> None:
    """It is the same for every link, loads nothing foreign, runs nothing inline, and is kept nowhere."""
    answer = await embedded.get(f"{path}?token_hash=<script>alert(1)</script>&type=signup&token=secret-token")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == (await embedded.get(path)).text
    policy = answer.headers["content-security-policy"]
    assert policy == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self';"
        " frame-ancestors 'none'; base-uri 'none'"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers
    assert not re.search(r"https?://|<script>|<style|\son\w+=|\sstyle=", answer.text)


@pytest.mark.parametrize("path", PAGES)
async def test_what_a_page_loads_is_there(embedded: House, path: str) -> None:
    """Each script and style, and what those import."""
    wanted = set(re.findall(r'"\.\./static/([\w.]+)"', (await embedded.get(path)).text))
    assert len(wanted) == 2
    while wanted:
        name = wanted.pop()
        answer = await embedded.get(f"/static/{name}")
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"
        wanted |= set(re.findall(r'from "\./([\w.]+)"', answer.text))


@pytest.mark.parametrize(("name", "kind"), FILES.items())
async def test_files(embedded: House, name: str, kind: str) -> None:
    """They say what they are."""
    answer = await embedded.get(f"/static/{name}")
    assert answer.headers["content-type"].partition(";")[0] == kind


async def test_scripts_write_no_html(embedded: House) -> None:
    """45: what is shown of an answer is shown as text; the token leaves the address bar."""
    scripts = [(await embedded.get(f"/static/{name}.js")).text for name in ("calls", "confirm", "invitation")]
    for script in scripts:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)
        assert not re.search(r"localStorage|sessionStorage", script)
    assert "history.replaceState" in scripts[0]
    assert all("takeParameters()" in script for script in scripts[1:])


@pytest.mark.parametrize(
    "name", ["nothing.js", "__init__.py", "confirm.html", "..%2fpages.py", "%2e%2e", "pages.css%00"]
)
async def test_other_files(embedded: House, name: str) -> None:
    """What is no script or style of ours is 404."""
    assert refused(await embedded.get(f"/static/{name}")) == (404, "NOT_FOUND")

"""The server as a process of its own, reached over the network as Supabase would be."""

import asyncio
import email
import email.policy
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from .house import PASSWORD, good


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[str]:
    port = free_port()
    arguments = ["--port", str(port), "--database", f"sqlite+aiosqlite:///{tmp_path}/identity.db", "--floor", "0"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.auth.embedded", *arguments, "--outbox", str(tmp_path / "outbox"),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    lines = [(await process.stdout.readline()).decode().split() for _ in range(2)]
    assert [line[0] for line in lines] == ["anon", "service"]
    url = f"http://127.0.0.1:{port}/auth/v1"
    await until_up(url)
    yield url
    process.terminate()
    await process.wait()


async def until_up(url: str) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(100):
            try:
                good(await client.get(f"{url}/health"))
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            else:
                return


async def test_life_of_an_account(base: str, tmp_path: Path) -> None:
    """Sign up, take the link from the outbox, follow it, log in."""
    body = {"email": "ann@example.com", "password": PASSWORD}
    async with httpx.AsyncClient() as client:
        good(await client.post(f"{base}/signup", json=body))
        (mail,) = (tmp_path / "outbox").iterdir()
        message = email.message_from_bytes(mail.read_bytes(), policy=email.policy.default)
        link = re.search(r"https?://\S+", message.get_body(("plain",)).get_content())
        assert link
        assert link.group(0).startswith(f"{base}/verify?token=")
        assert (await client.get(link.group(0))).status_code == 303
        session = good(await client.post(f"{base}/token?grant_type=password", json=body))
        user = await client.get(f"{base}/user", headers={"Authorization": f"Bearer {session['access_token']}"})
        assert good(user)["email"] == "ann@example.com"

"""A server that can be made to fall silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.engine import make_url


class Relay:
    """Stands before a server, and falls silent as a stopped process does: connections are made, and that is all.

    Or it `hangs_up`, as a proxy does whose server is gone: it says that it has no TLS, and closes what is made then.
    """

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self._serving: set[asyncio.Task[None]] = set()
        self.speaks = asyncio.Event()
        self.speaks.set()
        self.hangs_up = False

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.hangs_up:
            await self._hang_up(reader, writer)
            return
        serving = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(serving)
        await serving

    async def _hang_up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65536)
        writer.write(b"N")
        await reader.read(65536)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.speaks.wait()
        from_server, to_server = await asyncio.open_connection(*self._address)
        await asyncio.gather(self._pass_on(reader, to_server), self._pass_on(from_server, writer))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while said := await reader.read(65536):
                await self.speaks.wait()
                writer.write(said)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def end(self) -> None:
        self.speaks.set()
        await asyncio.wait(self._serving, timeout=10)


@asynccontextmanager
async def relayed(database_url: str) -> AsyncIterator[tuple[Relay, str]]:
    """A relay before this database's server, and the URL of the database behind it."""
    url = make_url(database_url)
    relay = Relay(url.host or "localhost", url.port or 5432)
    listening = await asyncio.start_server(relay, "127.0.0.1", 0)
    behind = url.set(host="127.0.0.1", port=listening.sockets[0].getsockname()[1])
    yield relay, behind.render_as_string(hide_password=False)
    listening.close()
    await relay.end()

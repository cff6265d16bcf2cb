"""Language model servers that fail, stall and never end, and clients that leave; scripted over real HTTP."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from pipelines.answering.generative import Generator
from pipelines.errors import AnswerUnavailable
from pipelines.llm import resolve_llm
from tests.llm.scripted_server import Exchange, ScriptedServer, endless, refusing, saying, stalling
from tests.pipelines.answering.asking import HITS, QUESTION, SOON, cited, claims, generator, letters

PATIENCE = 10


class TestFailures:
    async def test_a_server_that_is_loading_is_asked_again(self, server: ScriptedServer) -> None:
        """503 before the first token: nothing has been said yet."""
        loading = refusing(503, message="Loading model", type="unavailable_error")
        server.play(loading, refusing(429, message="slow down"), saying("It lays four blue eggs [1]."))
        assert len(await claims(generator(server))) == 1
        assert len(server.requests) == 3

    @pytest.mark.parametrize("status", [400, 401, 404, 500])
    async def test_other_refusals_are_final(self, server: ScriptedServer, status: int) -> None:
        """Asking again would change nothing."""
        server.play(refusing(status, message="no", type="invalid_request_error"))
        with pytest.raises(AnswerUnavailable):
            await claims(generator(server))
        assert len(server.requests) == 1

    async def test_a_server_that_never_loads_is_given_up(self, server: ScriptedServer) -> None:
        """After the retries."""
        server.play(refusing(503, message="Loading model"))
        with pytest.raises(AnswerUnavailable):
            await claims(generator(server, replace(SOON, retries=2)))
        assert len(server.requests) == 3

    async def test_no_server_at_all(self) -> None:
        """A refused connection is tried again, then said."""
        llm = resolve_llm(base_url="http://127.0.0.1:9/v1", model="none")
        assert llm is not None
        with pytest.raises(AnswerUnavailable):
            await claims(Generator(llm, letters, SOON))

    async def test_a_server_that_dies_in_the_middle(self, server: ScriptedServer) -> None:
        """What was complete before stays; the rest is an error, not an end."""

        async def dying(exchange: Exchange) -> None:
            await exchange.begin()
            for piece in ("It lays four blue eggs [1]. The", " red", " kite"):
                await exchange.say(piece)

        server.play(dying)
        async with aclosing(generator(server).claims(QUESTION, HITS)) as stream:
            first = await anext(stream)
            with pytest.raises(AnswerUnavailable):
                await anext(stream)
        assert cited([first]) == [("It lays four blue eggs.", [1])]

    async def test_a_stream_without_an_end_is_not_a_whole_answer(self, server: ScriptedServer) -> None:
        """The connection is closed properly, but nobody said that the model was finished."""

        async def vanishing(exchange: Exchange) -> None:
            await exchange.begin()
            await exchange.say("It lays four")
            await exchange.chunk(b"")

        server.play(vanishing)
        with pytest.raises(AnswerUnavailable):
            await claims(generator(server))

    @pytest.mark.parametrize(
        "garbage", [b"data: {not json}\n\n", b"data: 42\n\n", b'data: {"choices": "many"}\n\n', b"<html>welcome</html>"]
    )
    async def test_garbage(self, server: ScriptedServer, garbage: bytes) -> None:
        """Whatever a server sends, it is one refusal."""

        async def script(exchange: Exchange) -> None:
            await exchange.begin()
            await exchange.chunk(garbage)
            await exchange.chunk(b"")

        server.play(script)
        with pytest.raises(AnswerUnavailable):
            await claims(generator(server))

    async def test_a_sentence_that_was_cut_off_is_no_claim(self, server: ScriptedServer) -> None:
        """The model ran out of room in the middle of it."""
        server.play(saying("It lays four blue eggs [1]. The red kite nests in", finish="length"))
        assert cited(await claims(generator(server))) == [("It lays four blue eggs.", [1])]


class TestLeaving:
    async def test_who_leaves_ends_the_call(self, server: ScriptedServer) -> None:
        """Closing the claims closes the connection while the model would still be writing."""
        left = asyncio.Event()
        server.play(endless(left))
        async with aclosing(generator(server).claims(QUESTION, HITS)) as stream:
            await anext(stream)
        await asyncio.wait_for(left.wait(), PATIENCE)

    async def test_who_is_cancelled_while_waiting_ends_the_call(self, server: ScriptedServer) -> None:
        """Before the first token too."""
        asked, left = asyncio.Event(), asyncio.Event()
        server.play(stalling(left, asked))
        waiting = asyncio.create_task(claims(generator(server)))
        await asyncio.wait_for(asked.wait(), PATIENCE)
        waiting.cancel()
        await asyncio.wait_for(left.wait(), PATIENCE)

    async def test_a_server_that_stalls_is_left(self, server: ScriptedServer) -> None:
        """Before the first token, or between two; the connection is closed."""
        for before in (None, "It lays four blue eggs [1]. And"):
            left = asyncio.Event()
            server.play(stalling(left, first=before))
            with pytest.raises(AnswerUnavailable):
                await claims(generator(server, replace(SOON, first_token=0.3, between_tokens=0.3)))
            await asyncio.wait_for(left.wait(), PATIENCE)

    async def test_a_server_that_never_ends_is_left(self, server: ScriptedServer) -> None:
        """Each token in time, but too many of them."""
        left = asyncio.Event()
        server.play(endless(left))
        with pytest.raises(AnswerUnavailable):
            await claims(generator(server, replace(SOON, total=0.5)))
        await asyncio.wait_for(left.wait(), PATIENCE)

    async def test_calls_at_once_are_bounded(self, server: ScriptedServer) -> None:
        """Six questions, two places."""

        async def slow(exchange: Exchange) -> None:
            await asyncio.sleep(0.05)
            await saying("It lays four blue eggs [1].")(exchange)

        server.play(slow)
        asked = generator(server, replace(SOON, concurrency=2))
        await asyncio.gather(*(claims(asked) for _ in range(6)))
        assert (server.most_at_once, len(server.requests)) == (2, 6)

    async def test_who_waits_too_long_for_a_place_is_told(self, server: ScriptedServer) -> None:
        """The model is busy with others."""
        asked, left = asyncio.Event(), asyncio.Event()
        server.play(stalling(left, asked))
        busy = generator(server, replace(SOON, concurrency=1, waiting=0.1))
        first = asyncio.create_task(claims(busy))
        await asyncio.wait_for(asked.wait(), PATIENCE)
        with pytest.raises(AnswerUnavailable, match="busy"):
            await claims(busy)
        first.cancel()
        await asyncio.wait_for(left.wait(), PATIENCE)

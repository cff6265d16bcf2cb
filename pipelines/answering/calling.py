"""One call of a language model: bounded in number and time, always streamed, ended with the one who asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from llama_index.core.llms import LLM, ChatMessage, ChatResponse

from pipelines.answering.failures import EndedEarly, Failure, failure_of, status_of
from pipelines.errors import AnswerUnavailable

logger = logging.getLogger(__name__)

Prompt = Callable[[int], list[ChatMessage]]
"""Makes messages of at most so many tokens."""

CUT_HARDER = 0.5
"""What is left of the prompt when the server counts more tokens than were estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a model may take; times in seconds. `waiting` is for a free place among `concurrency` calls."""

    concurrency: int = 4
    waiting: float = 30.0
    first_token: float = 60.0
    between_tokens: float = 20.0
    total: float = 180.0
    retries: int = 3
    retry_delay: float = 0.5
    max_tokens: int = 512


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a reply; `cut_off` when the model had no room left to finish."""

    text: str
    cut_off: bool = False


class Model:
    """A LlamaIndex LLM, asked for streams only. Closing a stream ends the call at the server."""

    def __init__(self, llm: LLM, limits: Limits) -> None:
        self._llm = llm
        self._limits = limits
        self._places = asyncio.Semaphore(limits.concurrency)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The reply as it comes. Asked again only while nothing of it has come. Raises AnswerUnavailable."""
        async with self._place():
            try:
                async with aclosing(self._replies(prompt)) as replies:
                    async for piece in _pieces(replies):
                        yield piece
            except AnswerUnavailable:
                raise
            except Exception as error:
                logger.warning("language model: %s, status %s", type(error).__name__, status_of(error))
                raise AnswerUnavailable from error

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._limits.waiting):
                await self._places.acquire()
        except TimeoutError:
            raise AnswerUnavailable("The language model is busy.") from None
        try:
            yield
        finally:
            self._places.release()

    async def _replies(self, prompt: Prompt) -> AsyncGenerator[ChatResponse, None]:
        deadline = asyncio.get_running_loop().time() + self._limits.total
        reply, source = await self._open(prompt, deadline)
        try:
            while reply is not None:
                yield reply
                reply = await source.next(self._limits.between_tokens, deadline)
        finally:
            await source.close()

    async def _open(self, prompt: Prompt, deadline: float) -> tuple[ChatResponse | None, Source]:
        """The first reply and where it came from."""
        budget, delays = self._budget(), self._delays()
        cuts = iter([CUT_HARDER])
        while True:
            try:
                return await self._ask(prompt(budget), deadline)
            except Exception as error:
                failure = failure_of(error)
                if failure is Failure.CONTEXT_EXCEEDED and (share := next(cuts, None)):
                    budget = int(budget * share)
                elif failure is Failure.BUSY and (delay := next(delays, None)):
                    await asyncio.sleep(delay)
                else:
                    raise

    async def _ask(self, messages: list[ChatMessage], deadline: float) -> tuple[ChatResponse | None, Source]:
        source = Source(self._llm, messages)
        try:
            return await source.next(self._limits.first_token, deadline), source
        except BaseException:
            await source.close()
            raise

    def _budget(self) -> int:
        """Tokens of the context that are left for the prompt."""
        metadata = self._llm.metadata
        reserved = metadata.num_output if metadata.num_output > 0 else self._limits.max_tokens
        return metadata.context_window - reserved

    def _delays(self) -> Iterator[float]:
        return iter([self._limits.retry_delay * 2**attempt for attempt in range(self._limits.retries)])


class Source:
    """An LLM's stream, read by a task of its own.

    Closing the stream that LlamaIndex hands out leaves the connection open until garbage is collected; cancelling who
    waits for the network closes it at once.
    """

    def __init__(self, llm: LLM, messages: list[ChatMessage]) -> None:
        self._replies: asyncio.Queue[ChatResponse | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read(llm, messages))
        self._reading.add_done_callback(lambda _: self._replies.put_nowait(None))

    async def _read(self, llm: LLM, messages: list[ChatMessage]) -> None:
        async for reply in await llm.astream_chat(messages):
            self._replies.put_nowait(reply)

    async def next(self, patience: float, deadline: float) -> ChatResponse | None:
        """None at the end. Raises TimeoutError, or what went wrong while reading."""
        async with asyncio.timeout(min(patience, deadline - asyncio.get_running_loop().time())):
            reply = await self._replies.get()
        if reply is None:
            self._reading.result()
        return reply

    async def close(self) -> None:
        """Ends the call, wherever it is."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)


async def _pieces(replies: AsyncIterator[ChatResponse]) -> AsyncGenerator[Piece, None]:
    """The replies' text. Raises EndedEarly when the server went away in the middle."""
    finish: str | None = None
    speaks_openai = nothing = True
    async for reply in replies:
        nothing = False
        speaks_openai = hasattr(reply.raw, "choices")
        finish = _finish_reason(reply.raw) or finish
        yield Piece(reply.delta or "", cut_off=finish == "length")
    if nothing or (speaks_openai and finish is None):
        raise EndedEarly


def _finish_reason(raw: Any) -> str | None:
    choices = getattr(raw, "choices", None) or []
    return next((str(choice.finish_reason) for choice in choices if choice.finish_reason), None)

"""What a language model is asked beside the answer: short calls, each of which may fail, for there are rules, too."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from pipelines.answering.calling import Model
from pipelines.answering.thinking import ThinkingFilter
from pipelines.decomposition import MOST
from pipelines.errors import AnswerUnavailable
from pipelines.prompts import NEXT, SPLIT, build_messages
from pipelines.text.tokens import detect_language, index_tokens
from pipelines.types import Hit

logger = logging.getLogger(__name__)

SECONDS = 5.0
"""For a whole call, waiting for a free place included."""
MOST_LINES = 8
"""Lines of a reply that are read."""
ORNAMENT = re.compile(r"^\s*(?:(?:\d{1,2}|[a-z])[.):]\s+|[-*•]\s+)?|\s+$")
QUESTION = re.compile(r"\w.*[?？؟]$")
LONGEST = 200
"""Characters of a question to ask next."""
OWN = 0.5
"""Share of a part's words that are the question's; below it, the line is none of its parts."""
KEPT = 0.6
"""Share of the question's words that its parts have between them; below it, something was lost."""

Take = Callable[[str], Awaitable[bool]]
"""Takes a line; after False it is given no more."""


class Assistant:
    """Asks a model that answers, too, and shares its places with the answers; never raises for the model's failures."""

    def __init__(self, model: Model, seconds: float = SECONDS) -> None:
        self._model = model
        self._seconds = seconds

    async def parts(self, question: str) -> tuple[str, ...]:
        """The questions that a question is made of, itself where it is one; nothing where the reply cannot be used."""
        lines: list[str] = []

        async def take(line: str) -> bool:
            lines.append(line)
            return len(lines) < MOST_LINES

        is_whole = await self._ask(question, (), SPLIT, take)
        return usable_parts(question, lines) if is_whole else ()

    async def next_questions(self, question: str, hits: Sequence[Hit], take: Take) -> None:
        """Hands out questions that may be asked next, one by one while the model writes on, best first."""

        read = 0

        async def take_question(line: str) -> bool:
            nonlocal read
            read += 1
            is_question = len(line) <= LONGEST and QUESTION.search(line)
            return (not is_question or await take(line)) and read < MOST_LINES

        await self._ask(question, hits, NEXT, take_question)

    async def _ask(self, question: str, hits: Sequence[Hit], system: str, take: Take) -> bool:
        """Hands out lines as they are complete; whether the call came to its end in time."""
        try:
            async with asyncio.timeout(self._seconds), aclosing(self._lines(question, hits, system)) as lines:
                wanted = True
                async for line in lines:  # to its end: a reply that is left while it ends leaves its connection open
                    wanted = wanted and await take(line)
        except (AnswerUnavailable, TimeoutError) as error:
            logger.warning("language model, beside an answer: %s", type(error).__name__)
            return False
        return True

    async def _lines(self, question: str, hits: Sequence[Hit], system: str) -> AsyncGenerator[str, None]:
        thinking, text, is_whole = ThinkingFilter(), "", True
        prompt = self._model.stream(lambda budget: build_messages(question, hits, budget, system)[0])
        async with aclosing(prompt) as pieces:
            async for piece in pieces:
                *complete, text = (text + thinking.feed(piece.text)).split("\n")
                is_whole = not piece.cut_off
                for line in filter(None, map(_bare, complete)):
                    yield line
        if is_whole and (line := _bare(text)):
            yield line


def usable_parts(question: str, lines: Sequence[str]) -> tuple[str, ...]:
    """Those lines that ask for a part of what the question does, if they ask for all of it and are not too many."""
    language = detect_language(question)
    asked = frozenset(index_tokens(question, language))
    said = {line: frozenset(index_tokens(line, language)) for line in dict.fromkeys(lines)}
    parts = {line: tokens for line, tokens in said.items() if tokens and len(tokens & asked) >= OWN * len(tokens)}
    kept = asked & frozenset[str]().union(*parts.values())
    if not 0 < len(parts) <= MOST or len(kept) < KEPT * len(asked):
        return ()
    return tuple(parts) if len(parts) > 1 else (question,)


def _bare(line: str) -> str:
    """Without a number or a bullet before it."""
    return ORNAMENT.sub("", line).strip('"“”„«» ')

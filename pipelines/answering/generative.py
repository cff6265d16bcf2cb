"""Answering with a language model: every sentence is checked against its passages before it counts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from llama_index.core.llms import LLM, ChatMessage

from pipelines.answering.calling import Limits, Model
from pipelines.answering.claims import Claim
from pipelines.answering.markers import Statement, StatementStream
from pipelines.answering.thinking import ThinkingFilter
from pipelines.answering.verification import Embed, Verifier, share_of_tokens
from pipelines.errors import AnswerUnavailable
from pipelines.prompts import build_messages
from pipelines.types import Hit

PASSAGES = 8
"""Most passages that a model is shown."""


class Generator:
    """Claims from one language model, `model`; `embed` compares claims with passages where words leave it open."""

    def __init__(self, llm: LLM, embed: Embed, limits: Limits | None = None) -> None:
        self.model = Model(llm, limits or Limits())
        self._verifier = Verifier(embed)

    async def claims(self, question: str, hits: Sequence[Hit]) -> AsyncGenerator[Claim, None]:
        """Each sentence once it is complete and checked. Close it to stop the model. Raises AnswerUnavailable."""
        conversation = Conversation(question, hits[:PASSAGES])
        async with aclosing(conversation.statements(self.model)) as statements:
            async for statement in statements:
                yield await self._checked(statement, conversation.shown)

    async def _checked(self, statement: Statement, shown: Sequence[Hit]) -> Claim:
        """The claim with those passages that support it: of those it names, else the nearest one."""
        named = [shown[number - 1] for number in statement.numbers if 0 < number <= len(shown)]
        supporting = await self._verifier.supporting(statement.text, named) if named else ()
        if not supporting:
            nearest = max(shown, key=lambda hit: share_of_tokens(statement.text, [hit]))
            supporting = await self._verifier.supporting(statement.text, [nearest])
        return Claim(statement.text, supporting)


class Conversation:
    """One question put to a model; `shown` are the passages in the prompt, in order of their numbers."""

    def __init__(self, question: str, hits: Sequence[Hit]) -> None:
        self._question = question
        self._hits = hits
        self.shown: Sequence[Hit] = ()

    async def statements(self, model: Model) -> AsyncGenerator[Statement, None]:
        """The reply's sentences; one that was cut off in the middle is none."""
        statements, thinking, cut_off = StatementStream(), ThinkingFilter(), False
        async with aclosing(model.stream(self._prompt)) as pieces:
            async for piece in pieces:
                cut_off = piece.cut_off
                for statement in statements.feed(thinking.feed(piece.text)):
                    yield statement
        for statement in statements.close(cut_off=cut_off):
            yield statement

    def _prompt(self, budget: int) -> list[ChatMessage]:
        messages, count = build_messages(self._question, self._hits, budget)
        if not count:
            raise AnswerUnavailable("The question leaves no room for passages in the language model's context.")
        self.shown = self._hits[:count]
        return messages

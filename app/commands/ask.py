"""`kb ask`: an answer in the terminal, with what it rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands import console
from app.commands.opening import chosen, opened_database, opened_knowledge
from app.commands.refusals import Refusal
from app.config import Settings, settings_with
from app.query.schemas import LONGEST_QUESTION
from pipelines.types import Answer, Citation, Delta, Scope

if TYPE_CHECKING:
    from pipelines.knowledge import KnowledgeBase


def run(
    question: str, organization: str | None, sources: Sequence[str], *, stream: bool, config: Path | None, as_json: bool
) -> None:
    if not question.strip():
        raise Refusal("The question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise Refusal(f"A question has at most {LONGEST_QUESTION} characters.")
    asyncio.run(_run(settings_with(config), question, organization, sources, stream=stream, as_json=as_json))


async def _run(
    settings: Settings, question: str, organization: str | None, sources: Sequence[str], *, stream: bool, as_json: bool
) -> None:
    async with opened_database(settings) as database:
        scope = Scope((await chosen(database, organization)).id, frozenset(sources))
    async with opened_knowledge(settings) as opened:
        answer = await _answer(opened.knowledge, question, scope, stream=stream, as_json=as_json)
    if as_json:
        console.say_json({"event": "answer", **_fields(answer)} if stream else _fields(answer))
    else:
        _show(answer, streamed=stream)


async def _answer(knowledge: KnowledgeBase, question: str, scope: Scope, *, stream: bool, as_json: bool) -> Answer:
    if not stream:
        return await knowledge.answer(question, scope)
    async with aclosing(knowledge.stream(question, scope)) as events:
        async for event in events:
            if isinstance(event, Answer):
                return event
            _show_piece(event, as_json=as_json)
    raise AssertionError("a stream ends with its answer")


def _show_piece(piece: Delta, *, as_json: bool) -> None:
    if as_json:
        console.say_json({"event": "delta", "text": piece.text})
    else:
        console.say(piece.text, end="")


def _show(answer: Answer, *, streamed: bool) -> None:
    console.say("" if streamed else answer.text)
    for number, citation in enumerate(answer.citations, 1):
        console.say(f"\n[{number}] {_origin(citation)}\n    {_one_line(citation.snippet)}")
    console.say(f"\nConfidence {answer.confidence:.2f}; {answer.documents_searched} documents searched.")
    for related in answer.related_questions:
        console.say(f"See also: {related}")


def _origin(citation: Citation) -> str:
    where = f"{citation.source}/{citation.external_id}" if citation.external_id else citation.source
    return f"{citation.title} ({where})" + (f" {citation.url}" if citation.url else "")


def _one_line(text: str, longest: int = 240) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= longest else joined[: longest - 1].rstrip() + "…"


def _fields(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "confidence": round(answer.confidence, 4),
        "citations": [_citation(one) for one in answer.citations],
        "related_questions": list(answer.related_questions),
        "documents_searched": answer.documents_searched,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "document_id": str(citation.document_id),
        "title": citation.title,
        "source": citation.source,
        "external_id": citation.external_id,
        "url": citation.url,
        "snippet": citation.snippet,
        "relevance": round(citation.relevance, 4),
        "metadata": dict(citation.metadata),
    }

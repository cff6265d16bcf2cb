"""Answers are given again as long as nothing has changed, and not a moment longer."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pipelines.answer_cache import LARGEST, AnswerCache, Asked, KeptAnswer
from pipelines.answerer import Answerer
from pipelines.knowledge import KnowledgeBase
from pipelines.retrieval import HybridRetriever
from pipelines.types import Delta, Scope
from tests.pipelines.conftest import OTHER, WordHashing, document

QUESTION = "Where does the blue heron nest?"
Change = Callable[[KnowledgeBase, Scope], Awaitable[Any]]


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were really searched for."""
    asked: list[str] = []
    retrieve = HybridRetriever.retrieve

    async def counted(self: HybridRetriever, question: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(question)
        return await retrieve(self, question, *args, **kwargs)

    monkeypatch.setattr(HybridRetriever, "retrieve", counted)
    return asked


async def test_a_question_is_answered_once(knowledge: KnowledgeBase, scope: Scope, searches: list[str]) -> None:
    """Asked again it has the same answer without a search; other filters, citations and organizations are others."""
    await knowledge.put(document(), scope)
    answer = await knowledge.answer(QUESTION, scope)
    assert await knowledge.answer(QUESTION, scope) == answer
    assert searches == [QUESTION]
    await knowledge.answer(QUESTION, scope, max_citations=1)
    elsewhere = await knowledge.answer(QUESTION, Scope(scope.organization_id, frozenset({"elsewhere"})))
    stranger = await knowledge.answer(QUESTION, Scope(OTHER))
    assert len(searches) == 4
    assert answer.citations
    assert [elsewhere.citations, stranger.citations] == [(), ()]


async def put(knowledge: KnowledgeBase, scope: Scope) -> None:
    await knowledge.put(document("2"), scope)


async def rewrite(knowledge: KnowledgeBase, scope: Scope) -> None:
    await knowledge.put(document(content="The blue heron nests in the reeds."), scope)


async def describe(knowledge: KnowledgeBase, scope: Scope) -> None:
    [known] = (await knowledge.list(scope)).documents
    await knowledge.update(known.id, scope, url="https://a.example/", metadata={"author": "Ada"})


async def retitle(knowledge: KnowledgeBase, scope: Scope) -> None:
    [known] = (await knowledge.list(scope)).documents
    await knowledge.update(known.id, scope, title="Herons")


async def remove(knowledge: KnowledgeBase, scope: Scope) -> None:
    [known] = (await knowledge.list(scope)).documents
    await knowledge.remove(known.id, scope)


async def reindex(knowledge: KnowledgeBase, scope: Scope) -> None:
    await knowledge.reindex(scope.organization_id)


@pytest.mark.parametrize("change", [put, rewrite, describe, retitle, remove, reindex])
async def test_any_change_counts_at_once(
    knowledge: KnowledgeBase, scope: Scope, searches: list[str], change: Change
) -> None:
    """The next answer is made anew, and is what a knowledge base without a cache says."""
    await knowledge.put(document(), scope)
    await knowledge.answer(QUESTION, scope)
    await change(knowledge, scope)
    after = await knowledge.answer(QUESTION, scope)
    assert searches == [QUESTION, QUESTION]
    forgetful = Answerer(knowledge._retriever, WordHashing(embedded=[]))
    assert after == [event async for event in forgetful.stream(QUESTION, scope, max_citations=5)][-1]


async def test_changes_by_another_process_count_at_once(
    tmp_path: Path, database_url: str, knowledge: KnowledgeBase, scope: Scope
) -> None:
    """The database says whether anything has changed, not the process that answers."""
    known = (await knowledge.put(document(), scope)).document
    assert (await knowledge.answer(QUESTION, scope)).citations
    options: dict[str, Any] = {"embedding": WordHashing(embedded=[]), "database_url": database_url, "worker": False}
    async with await KnowledgeBase.open(tmp_path, **options) as beside:
        await beside.remove(known.id, scope)
    assert not (await knowledge.answer(QUESTION, scope)).citations


async def test_who_changes_what_he_was_given_changes_it_for_nobody_else(
    knowledge: KnowledgeBase, scope: Scope, searches: list[str]
) -> None:
    """Metadata are the documents', in the first answer and in those that follow."""
    await knowledge.put(document(metadata={"team": {"name": "birds"}}), scope)
    for _ in range(3):
        [citation] = (await knowledge.answer(QUESTION, scope)).citations
        assert citation.metadata == {"team": {"name": "birds"}}
        citation.metadata["team"]["name"] = "fish"  # type: ignore[index,call-overload] - JSON
    assert searches == [QUESTION]


def test_the_oldest_is_forgotten() -> None:
    """Asking again keeps an answer young."""
    cache = AnswerCache(remembered=2)
    one, two, three = (Asked(question, Scope(OTHER), 5) for question in ("one", "two", "three"))
    for asked in (one, two):
        cache.keep(asked, KeptAnswer((1, 1), ()))
    assert cache.get(one)
    cache.keep(three, KeptAnswer((1, 1), ()))
    assert [bool(cache.get(asked)) for asked in (one, two, three)] == [True, False, True]


def test_long_ones_are_not_kept() -> None:
    """Neither an endless filter nor an endless answer fills the memory."""
    cache = AnswerCache()
    narrow = Asked("one", Scope(OTHER, frozenset({"x" * LARGEST})), 5)
    wide, long = Asked("one", Scope(OTHER), 5), KeptAnswer((1, 1), (Delta("x" * LARGEST),))
    cache.keep(narrow, KeptAnswer((1, 1), ()))
    cache.keep(wide, long)
    assert [cache.get(narrow), cache.get(wide)] == [None, None]

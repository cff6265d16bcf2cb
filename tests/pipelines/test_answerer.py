"""Questions of several parts: searched apart, answered together, and honest about the part that has no answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines.calibration import Logistic, calibration_for
from pipelines.errors import IndexUnavailable
from pipelines.inquiry import inquiry_of
from pipelines.knowledge import KnowledgeBase
from pipelines.llm import resolve_llm
from pipelines.retrieval import HybridRetriever
from pipelines.types import Answer, Delta, Retrieval, Scope
from tests.llm.scripted_server import ScriptedServer, refusing, saying, scripted_server
from tests.pipelines.conftest import WordHashing, document

DOCUMENTS = [
    document("heron", "The blue heron nests by the river. It lays four blue eggs in April.", title="Blue heron"),
    document("kite", "The red kite nests in tall oak trees. It lays three white eggs in May.", title="Red kite"),
    document("parking", "Visitors park their cars behind the old mill, free of charge.", title="Visitors"),
    document("tower", "The observation tower was painted green by the ranger.", title="Tower"),
]
BOTH = "When does the blue heron lay eggs and where do visitors park their cars?"
HALF = "When does the blue heron lay eggs and how many zorblaxes has the quimby frandled?"


@pytest.fixture
async def birds(knowledge: KnowledgeBase, scope: Scope) -> KnowledgeBase:
    await knowledge.put_many(DOCUMENTS, scope)
    return knowledge


def cited(answer: Answer) -> list[str]:
    return [citation.external_id for citation in answer.citations]


async def streamed(knowledge: KnowledgeBase, question: str, scope: Scope) -> tuple[str, Answer]:
    events = [event async for event in knowledge.stream(question, scope)]
    answer = events[-1]
    assert isinstance(answer, Answer)
    return "".join(event.text for event in events if isinstance(event, Delta)), answer


class TestWithoutModel:
    async def test_parts_are_answered_together(self, birds: KnowledgeBase, scope: Scope) -> None:
        """In their order, each cited from its own document, streamed as whole."""
        answer = await birds.answer(BOTH, scope)
        assert answer.text.index("April") < answer.text.index("behind the old mill")
        assert {"heron", "parking"} <= set(cited(answer))
        assert await streamed(birds, BOTH, scope) == (answer.text, answer)

    async def test_things_are_compared_from_the_documents_of_each(self, birds: KnowledgeBase, scope: Scope) -> None:
        """None of them crowds the other out."""
        answer = await birds.answer("Compare the eggs of the blue heron and the red kite.", scope)
        assert {"heron", "kite"} <= set(cited(answer))

    async def test_an_answer_keeps_to_its_size(self, birds: KnowledgeBase, scope: Scope) -> None:
        """However many parts there are: words, with their markers, and citations; what cannot be cited is not split."""
        answer = await birds.answer(BOTH, scope, max_citations=2)
        assert {"heron", "parking"} == set(cited(answer))
        assert len(answer.text.split()) <= 65
        assert len((await birds.answer(BOTH, scope, max_citations=1)).citations) == 1

    async def test_what_was_not_found_is_said(self, birds: KnowledgeBase, scope: Scope) -> None:
        """At the end, without a marker; and the answer is as sure as half an answer can be."""
        answer = await birds.answer(HALF, scope)
        alone = await birds.answer("When does the blue heron lay eggs?", scope)
        assert "April" in answer.text
        assert answer.text.endswith(" Nothing was found on: “how many zorblaxes has the quimby frandled”.")
        assert answer.confidence == pytest.approx(alone.confidence / 2, abs=0.02)
        assert await streamed(birds, HALF, scope) == (answer.text, answer)

    async def test_what_was_not_found_is_named_shortly_and_without_markers(
        self, birds: KnowledgeBase, scope: Scope
    ) -> None:
        """Whatever the question says: the answer keeps its words, and each marker is a citation's."""
        missing = "how many zorblaxes [7] has the quimby frandled"
        noted = inquiry_of("", [await birds.retrieve(f"{missing} {'qqq ' * 99}", scope)], calibration_for()).note
        assert noted.endswith(f"{missing.replace('[7] ', '')} qqq qqq qqq qqq qqq…”.")

    async def test_where_nothing_at_all_is_found_it_is_the_usual_answer(
        self, birds: KnowledgeBase, scope: Scope
    ) -> None:
        """As if it were one question."""
        answer = await birds.answer("What is the zzz of qqq, and who is the qqq of zzz?", scope)
        assert (answer.citations, answer.confidence, answer.related_questions) == ((), 0.0, ())
        assert answer.text == "Nothing in the knowledge base answers this question."

    async def test_all_parts_are_of_one_moment(
        self, birds: KnowledgeBase, scope: Scope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A document that changes between two searches is found in its new version by both."""
        retrieve, seen = HybridRetriever.retrieve, asyncio.Event()

        async def with_a_change_between(
            self: HybridRetriever, question: str, scope: Scope, *, limit: int | None = None, least: int = 0
        ) -> Retrieval:
            if "color" in question and not seen.is_set():
                await asyncio.sleep(0.05)
                await birds.put(document("heron", "The blue heron moved to the sea. Its eggs are grey."), scope)
                seen.set()
            return await retrieve(self, question, scope, limit=limit, least=least)

        monkeypatch.setattr(HybridRetriever, "retrieve", with_a_change_between)
        both = await birds._retriever.retrieve_all(["Where is the heron?", "Which color are its eggs?"], scope, limit=9)
        texts = [hit.passage.text for found in both for hit in found.hits if hit.external_id == "heron"]
        assert len(texts) > 1
        assert not any("April" in text for text in texts)


async def test_a_model_that_does_not_know_the_language_is_not_believed(
    tmp_path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However near it finds a passage: words have to meet."""
    model = WordHashing(embedded=[])
    monkeypatch.setattr(model, "languages", frozenset({"en"}))
    sure = replace(calibration_for(), answerable=Logistic({}, 9.0))
    async with await KnowledgeBase.open(tmp_path, embedding=model, calibration=sure) as knowledge:
        await knowledge.put(document("1", "Der Reiher brütet im April am Ufer des Flusses."), scope)
        assert (await knowledge.answer("Wann brütet der Reiher am Fluss?", scope)).citations
        assert not (await knowledge.answer("Wie hoch ist die Miete im Sommer?", scope)).citations


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with scripted_server() as running:
        yield running


@pytest.fixture
async def generative(
    tmp_path: Path, embedding: WordHashing, scope: Scope, server: ScriptedServer
) -> AsyncIterator[KnowledgeBase]:
    llm = resolve_llm(base_url=server.url, model="scripted")
    async with await KnowledgeBase.open(tmp_path, embedding=embedding, llm=llm) as knowledge:
        await knowledge.put_many(DOCUMENTS, scope)
        yield knowledge


def told(request: dict[str, object]) -> str:
    messages = request["messages"]
    assert isinstance(messages, Sequence)
    return "\n".join(message["content"] for message in messages)


class TestWithModel:
    ANSWER = "The blue heron lays four blue eggs in April [1]. Visitors park their cars behind the old mill [2]."

    async def test_it_splits_and_sees_the_passages_of_all_parts(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer
    ) -> None:
        """Also where no rule would split."""
        question = "Tell me of the nests of the blue heron and of the cars that visitors park"
        server.play(saying("1. blue heron nests\n2. cars that visitors park"), saying(self.ANSWER))
        answer = await generative.answer(question, scope)
        assert {"heron", "parking"} <= set(cited(answer))
        split, answered = map(told, server.requests[:2])
        assert "<passage" not in split
        assert question in split
        assert answered.index("nests by the river") < answered.index("red kite")
        assert answered.index("behind the old mill") < answered.index("red kite")

    @pytest.mark.parametrize("script", [refusing(500), saying("I would rather not."), saying("")])
    async def test_when_it_cannot_split_the_rules_do(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer, script: object
    ) -> None:
        """A model that is down for that, talks of something else or says nothing."""
        server.play(script, saying(self.ANSWER))  # type: ignore[arg-type]
        assert {"heron", "parking"} <= set(cited(await generative.answer(BOTH, scope)))

    async def test_it_is_asked_only_where_it_may_matter(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer
    ) -> None:
        """Not for a plain question, and never where nothing was found."""
        server.play(saying("It lays four blue eggs in April [1]."))
        await generative.answer("When does the blue heron lay eggs?", scope)
        assert "<passage" in told(server.requests[0])
        asked = len(server.requests)
        await generative.answer("What is the zzz of qqq, and who is the qqq of zzz?", scope)
        assert len(server.requests) == asked

    async def test_what_was_not_found_is_said_by_us(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer
    ) -> None:
        """Whatever the model makes of it."""
        server.play(saying("no"), saying("The blue heron lays four blue eggs in April [1]. The rover has six [1]."))
        answer = await generative.answer(HALF, scope)
        assert answer.text == (
            "The blue heron lays four blue eggs in April. [1]"
            " Nothing was found on: “how many zorblaxes has the quimby frandled”."
        )

    async def test_its_answers_are_as_sure_as_their_own_calibration_says(
        self, tmp_path: Path, embedding: WordHashing, scope: Scope, server: ScriptedServer
    ) -> None:
        """Not as the documents' own sentences are."""
        half = Logistic({}, 0.0)
        own = replace(calibration_for("other"), generated=half)
        server.play(EGGS)
        llm = resolve_llm(base_url=server.url, model="scripted")
        async with await KnowledgeBase.open(tmp_path, embedding=embedding, llm=llm, calibration=own) as knowledge:
            await knowledge.put_many(DOCUMENTS, scope)
            answer = await knowledge.answer("When does the blue heron lay eggs?", scope)
        assert answer.confidence == pytest.approx(0.5)


EGGS = saying("The blue heron lays four blue eggs in April [1].")


class TestNextQuestions:
    QUESTION = "When does the blue heron lay eggs?"
    GOOD = "Where does the red kite nest?"

    async def test_the_model_suggests_what_can_be_answered(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer
    ) -> None:
        """Neither the question itself, nor one twice, nor one to which there is no answer; whole and streamed."""
        lines = [self.QUESTION, self.GOOD, "Where does the red kite nest", self.GOOD.upper(), "Who is the zzz of qqq?"]
        for ask in (generative.answer, streamed_answer(generative)):
            server.play(EGGS, saying("\n".join(lines)))
            answer = await ask(self.QUESTION, scope)
            assert answer.related_questions[0] == self.GOOD
            assert not set(lines[2:]) & set(answer.related_questions)
            assert self.QUESTION not in answer.related_questions

    @pytest.mark.parametrize("script", [refusing(500), saying(""), saying("As you like."), saying("Who is zzz?")])
    async def test_otherwise_the_rules_do(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer, script: object
    ) -> None:
        """The answer and its citations stand, whatever becomes of that call."""
        server.play(EGGS, script)  # type: ignore[arg-type]
        answer = await generative.answer(self.QUESTION, scope)
        assert "April" in answer.text
        assert all("“" in question for question in answer.related_questions)

    async def test_an_answer_is_not_lost_with_what_comes_after_it(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A dependency that goes down while suggestions are checked."""
        retrieve, asked = HybridRetriever.retrieve, 0

        async def once(self: HybridRetriever, *args: Any, **options: Any) -> Retrieval:
            nonlocal asked
            asked += 1
            if asked > 1:
                raise IndexUnavailable
            return await retrieve(self, *args, **options)

        monkeypatch.setattr(HybridRetriever, "retrieve", once)
        server.play(EGGS, saying(self.GOOD))
        answer = await generative.answer(self.QUESTION, scope)
        assert cited(answer) == ["heron"]
        assert (asked, self.GOOD in answer.related_questions) == (2, False)

    async def test_nothing_is_suggested_where_nothing_was_found(
        self, generative: KnowledgeBase, scope: Scope, server: ScriptedServer
    ) -> None:
        """The model's answer had no support."""
        server.play(saying("Penguins swim under the antarctic ice shelf [1]."), saying(self.GOOD))
        answer = await generative.answer(self.QUESTION, scope)
        assert (answer.citations, answer.related_questions) == ((), ())
        assert len(server.requests) == 1


def streamed_answer(knowledge: KnowledgeBase) -> Callable[[str, Scope], Awaitable[Answer]]:
    async def ask(question: str, scope: Scope) -> Answer:
        return (await streamed(knowledge, question, scope))[1]

    return ask

"""The library's door: documents in, found at once, changed as a whole, gone for good."""

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipelines.answering.pieces import take_apart, unpack
from pipelines.errors import (
    DocumentExists,
    DocumentNotFound,
    IndexUnavailable,
    InUse,
    InvalidCursor,
    PreconditionFailed,
)
from pipelines.knowledge import KnowledgeBase
from pipelines.types import DocumentStatus, Put, Scope
from tests.pipelines.conftest import ORGANIZATION, OTHER, WordHashing, document, settled


async def found(knowledge: KnowledgeBase, question: str, scope: Scope) -> list[str]:
    return [hit.external_id for hit in (await knowledge.search(question, scope)).hits]


class TestPut:
    async def test_what_was_put_is_found_by_the_next_question(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """A put returns when the document is searchable, in both halves."""
        put = await knowledge.put(document(), scope)
        assert put.created
        assert put.document.status is DocumentStatus.INDEXED
        assert put.document.indexed_at is not None
        assert await found(knowledge, "heron", scope) == ["1"]
        assert [hit.external_id for hit in await knowledge.search_words("heron", scope)] == ["1"]

    async def test_what_was_put_comes_back_taken_apart(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """No question pays for what was known when the document came in."""
        await knowledge.put(document(), scope)
        [hit] = (await knowledge.retrieve("heron", scope)).hits
        assert unpack(hit.passage.pieces) == take_apart(hit.passage.text, hit.passage.language)

    async def test_a_second_put_of_a_key_updates_it(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """The old text is gone, the id stays, and url and metadata that are not given stay as they are."""
        first = await knowledge.put(document(url="https://a.example/", metadata={"author": "Ada"}), scope)
        second = await knowledge.put(document(content="The red kite circles."), scope)
        assert (second.document.id, second.created) == (first.document.id, False)
        assert (second.document.url, dict(second.document.metadata)) == ("https://a.example/", {"author": "Ada"})
        assert (await knowledge.search("kite", scope)).hits[0].snippet == "The red kite circles."
        assert "heron" not in str((await knowledge.retrieve("heron", scope)).hits)

    async def test_without_upsert_a_known_key_is_refused(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """The refusal carries the id of the one that is there, and nothing changes."""
        first = await knowledge.put(document(), scope)
        with pytest.raises(DocumentExists) as refused:
            await knowledge.put(document(content="other"), scope, upsert=False)
        assert refused.value.document_id == first.document.id
        assert (await knowledge.get(first.document.id, scope)).content == "The blue heron nests by the river."

    async def test_each_of_many_stands_alone(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """What is refused is in its place; the others are searchable."""
        await knowledge.put(document("2"), scope)
        results = await knowledge.put_many([document("1"), document("2"), document("3")], scope, upsert=False)
        assert [type(one) for one in results] == [Put, DocumentExists, Put]
        assert set(await found(knowledge, "heron", scope)) == {"1", "2", "3"}

    async def test_without_waiting_it_is_pending_and_indexed_soon(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """`wait=0` answers at once; the worker takes it up."""
        put = await knowledge.put(document(), scope, wait=0)
        assert (put.document.status, put.document.indexed_at) == (DocumentStatus.PENDING, None)
        await settled(knowledge, scope)
        assert await found(knowledge, "heron", scope) == ["1"]

    async def test_unchanged_passages_are_not_embedded_again(
        self, knowledge: KnowledgeBase, scope: Scope, embedding: WordHashing
    ) -> None:
        """An update of metadata alone embeds nothing, an appended paragraph only what is new."""
        put = await knowledge.put(document(), scope)
        embedded = len(embedding.embedded)
        updated = await knowledge.update(put.document.id, scope, metadata={"updated_at": "2024-05-06"})
        assert len(embedding.embedded) == embedded
        assert (updated.status, updated.revision) == (DocumentStatus.INDEXED, 2)

    async def test_the_same_again_changes_nothing(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """No new revision, no new change."""
        await knowledge.put(document(), scope)
        again = await knowledge.put(document(), scope)
        assert (again.created, again.document.revision, again.document.status) == (False, 1, DocumentStatus.INDEXED)

    @pytest.mark.parametrize(
        "content", ["\u202eעברית \u0645\u0631\u062d\u0628\u0627", "知识库" * 50_000, "a" * 100_000, "🦩" * 1000]
    )
    async def test_any_script_and_any_length_goes_in(
        self, knowledge: KnowledgeBase, scope: Scope, content: str
    ) -> None:
        """Right-to-left, without spaces, without sentences, outside the basic plane."""
        put = await knowledge.put(document(content=content), scope)
        assert put.document.status is DocumentStatus.INDEXED
        hit = (await knowledge.retrieve(content[:20], scope)).hits[0]
        assert content[hit.passage.start : hit.passage.end] == hit.passage.text

    async def test_a_write_takes_a_whole_scope(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Filters are for reading."""
        with pytest.raises(ValueError, match="without filters"):
            await knowledge.put(document(), Scope(ORGANIZATION, sources=frozenset({"wiki"})))


class TestUpdate:
    async def test_an_update_changes_what_it_names(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Title stays, content changes, `url=None` clears."""
        put = await knowledge.put(document(url="https://a.example/"), scope)
        after = await knowledge.update(put.document.id, scope, content="The red kite circles.", url=None)
        assert (after.title, after.content, after.url) == ("Page 1", "The red kite circles.", None)

    @pytest.mark.parametrize(
        ("before", "after"), [(1, True), (False, 0), ([1, 0], [True, False]), ({"a": 1}, {"a": 1.0})]
    )
    async def test_values_that_only_python_takes_for_equal(
        self, knowledge: KnowledgeBase, scope: Scope, before: object, after: object
    ) -> None:
        """JSON tells true from 1 and 1.0 from 1, and so does an update or an upsert of metadata."""
        put = await knowledge.put(document(metadata={"value": before}), scope)
        updated = await knowledge.update(put.document.id, scope, metadata={"value": after})
        assert (updated.revision, json.dumps(updated.metadata["value"])) == (2, json.dumps(after))
        again = (await knowledge.put(document(metadata={"value": before}), scope)).document
        assert (again.revision, json.dumps(again.metadata["value"])) == (3, json.dumps(before))

    @pytest.mark.parametrize("value", [1e16, 2.0**60, 1e22, -0.0, [{"b": 1.0, "a": None}]])
    async def test_metadata_that_the_database_writes_otherwise(
        self, knowledge: KnowledgeBase, scope: Scope, value: object
    ) -> None:
        """What is given twice is no change, though JSONB writes 1e16 as a whole number and knows no -0.0."""
        put = await knowledge.put(document(metadata={"value": value}), scope)
        assert (await knowledge.update(put.document.id, scope, metadata={"value": value})).revision == 1

    async def test_if_match_refuses_a_stale_version(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """An update or removal that names another revision than the newest is refused."""
        put = await knowledge.put(document(), scope)
        await knowledge.update(put.document.id, scope, title="New", if_match={1})
        with pytest.raises(PreconditionFailed):
            await knowledge.update(put.document.id, scope, title="Newer", if_match={1})
        with pytest.raises(PreconditionFailed):
            await knowledge.remove(put.document.id, scope, if_match={1})

    async def test_of_two_updates_at_once_the_later_wins_whole(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Both return with the document searchable; title and content are of one update."""
        put = await knowledge.put(document(), scope)
        words = [f"version{n}" for n in range(6)]
        await asyncio.gather(*(knowledge.update(put.document.id, scope, title=w, content=w) for w in words))
        final = await knowledge.get(put.document.id, scope)
        assert final.status is DocumentStatus.INDEXED
        assert final.title == final.content
        [hit] = (await knowledge.retrieve(final.content, scope)).hits
        assert (hit.passage.text, hit.title) == (final.content, final.content)

    async def test_a_foreign_document_is_not_found(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Another organization can neither read, change nor remove it."""
        put = await knowledge.put(document(), scope)
        for attempt in (knowledge.get, knowledge.remove, knowledge.update):
            with pytest.raises(DocumentNotFound):
                await attempt(put.document.id, Scope(OTHER))


class TestRemove:
    async def test_what_is_removed_is_not_found(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """From the return on, and a second removal finds nothing."""
        put = await knowledge.put(document(), scope)
        await knowledge.remove(put.document.id, scope)
        assert await found(knowledge, "heron", scope) == []
        with pytest.raises(DocumentNotFound):
            await knowledge.remove(put.document.id, scope)

    async def test_a_whole_source_goes(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Returns how many there were; others stay."""
        await knowledge.put_many([document("1"), document("2"), document("3", source="drive")], scope)
        assert await knowledge.remove_source("wiki", scope) == 2
        assert await found(knowledge, "heron", scope) == ["3"]

    async def test_by_its_key(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """A key that is not there is refused."""
        await knowledge.put(document(), scope)
        await knowledge.remove_by_key("wiki", "1", scope)
        with pytest.raises(DocumentNotFound):
            await knowledge.remove_by_key("wiki", "1", scope)


class TestList:
    async def test_pages_hold_each_document_once_newest_first(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Documents that come while one reads neither repeat nor skip a row."""
        await knowledge.put_many([document(str(n)) for n in range(7)], scope)
        first = await knowledge.list(scope, limit=3)
        await knowledge.put(document("new"), scope)
        second = await knowledge.list(scope, limit=3, cursor=first.next_cursor)
        third = await knowledge.list(scope, limit=3, cursor=second.next_cursor)
        listed = [one.external_id for page in (first, second, third) for one in page.documents]
        assert listed == [str(n) for n in reversed(range(7))]
        assert third.next_cursor is None

    async def test_filters_and_bad_cursors(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """By source, status and external id; what is no cursor is refused."""
        await knowledge.put_many([document("1"), document("1", source="drive")], scope)
        assert len((await knowledge.list(scope, source="drive")).documents) == 1
        assert len((await knowledge.list(scope, external_id="1", status=DocumentStatus.INDEXED)).documents) == 2
        for cursor in ("x", "", "ä", "a" * 300):
            with pytest.raises(InvalidCursor):
                await knowledge.list(scope, cursor=cursor)


class TestScope:
    async def test_filters_leave_what_they_say(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """Sources are alternatives, days are inclusive, both must hold; documents in scope are counted exactly."""
        dates = {"a": "2026-01-01", "b": "2026-01-02T23:59:00-05:00", "c": "2026-01-02"}
        new = [
            document(i, source=f"s{n % 2}", metadata={"updated_at": day}) for n, (i, day) in enumerate(dates.items())
        ]
        await knowledge.put_many(new, scope)
        second = date(2026, 1, 2)
        for filters, expected in (
            ({"sources": frozenset({"s0"})}, {"a", "c"}),
            ({"sources": frozenset({"s0", "s1"})}, {"a", "b", "c"}),
            ({"sources": frozenset({"none"})}, set()),
            ({"start": second, "end": second}, {"c"}),
            ({"start": second}, {"b", "c"}),
            ({"sources": frozenset({"s0"}), "start": second}, {"c"}),
        ):
            result = await knowledge.search("heron", Scope(ORGANIZATION, **filters))  # type: ignore[arg-type]
            assert {hit.external_id for hit in result.hits} == expected
            assert result.documents_searched == len(expected)

    async def test_a_filtered_search_gets_its_full_number(self, knowledge: KnowledgeBase, scope: Scope) -> None:
        """However many nearer passages the filter forbids."""
        near = [document(f"n{n}", content="heron heron heron") for n in range(80)]
        far = [document(f"f{n}", content=f"kite number {n}", source="far") for n in range(20)]
        await knowledge.put_many(near + far, scope)
        result = await knowledge.search("heron", Scope(ORGANIZATION, sources=frozenset({"far"})), limit=15)
        assert len(result.hits) == 15

    def test_an_empty_scope_is_refused(self) -> None:
        """Nothing is searched without an organization."""
        from uuid import UUID

        with pytest.raises(ValueError, match="organization"):
            Scope(UUID(int=0))

    async def test_an_organization_without_documents_has_nothing(self, knowledge: KnowledgeBase) -> None:
        """No error, no results."""
        assert (await knowledge.search("heron", Scope(OTHER))).hits == ()


class TestOpening:
    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"embedding": "/models/mine"}, r"embedding is an embedding model.* not '/models/mine'"),
            ({"embedding": Path("mine")}, r"resolve_embedding\(model=…\)"),
            ({"llm": "gpt"}, "llm is a LlamaIndex LLM"),
            ({"splitter": "sentence"}, "PassageSize"),
            ({"fusion": "rrf"}, r"ReciprocalRankFusion\(\)"),
            ({"postprocessors": ["rerank"]}, "postprocessors is LlamaIndex postprocessors; not 'rerank'"),
            ({"calibration": Path("own.json")}, "read_calibration"),
            ({"classifier": True}, r"load_classifier\(folder\)"),
        ],
    )
    async def test_a_name_is_not_what_it_names(self, tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
        """It is refused at once, with what makes one of it, and nothing is left behind."""
        with pytest.raises(TypeError, match=told):
            await KnowledgeBase.open(tmp_path / "new", **wrong)
        assert not (tmp_path / "new").exists()

    async def test_without_an_embedding_both_models_are_the_built_in_ones(
        self, tmp_path: Path, embedding: WordHashing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One finds, the other reads whether there is an answer; beside an embedding of one's own nothing is read."""
        loaded: list[Path] = []
        monkeypatch.setattr("pipelines.knowledge.resolve_embedding", lambda data_folder: embedding)
        monkeypatch.setattr("pipelines.knowledge.load_classifier", loaded.append)
        for options in ({}, {"embedding": embedding}):
            async with await KnowledgeBase.open(tmp_path, **options):
                assert loaded == [tmp_path]

    async def test_an_answer_cites_at_least_once(self, tmp_path: Path, embedding: WordHashing) -> None:
        """Without a citation every answer would be that nothing was found."""
        with pytest.raises(ValueError, match="max_citations is 1 or more, not 0"):
            await KnowledgeBase.open(tmp_path, embedding=embedding, max_citations=0)

    async def test_what_was_pending_is_taken_up_by_the_next_start(
        self, tmp_path: Path, scope: Scope, embedding: WordHashing
    ) -> None:
        """Accepted by a process that only accepts; indexed by the one that works."""
        async with await KnowledgeBase.open(tmp_path, embedding=embedding, worker=False) as accepting:
            put = await accepting.put(document(), scope)
            assert put.document.status is DocumentStatus.PENDING
        async with await KnowledgeBase.open(tmp_path, embedding=embedding) as working:
            await settled(working, scope)
            assert await found(working, "heron", scope) == ["1"]

    async def test_embedded_chroma_has_one_process(self, knowledge: KnowledgeBase, tmp_path: Path) -> None:
        """A second working one is refused with a sentence that says what to do."""
        with pytest.raises(InUse, match="Chroma server"):
            await KnowledgeBase.open(tmp_path, embedding=WordHashing(embedded=[]))

    async def test_another_model_is_noticed_and_never_mixed(
        self, tmp_path: Path, scope: Scope, embedding: WordHashing
    ) -> None:
        """Questions and writes are refused until everything is embedded anew."""
        async with await KnowledgeBase.open(tmp_path, embedding=embedding) as old:
            await old.put(document(), scope)
        async with await KnowledgeBase.open(tmp_path, embedding=WordHashing(name="word-hashing/2", embedded=[])) as new:
            with pytest.raises(IndexUnavailable, match="reindex"):
                await new.search("heron", scope)
            with pytest.raises(IndexUnavailable, match="reindex"):
                await new.put(document("2"), scope)
            await new.reindex(ORGANIZATION)
            await settled(new, scope)
            assert await found(new, "heron", scope) == ["1"]
            assert not (await new.check(ORGANIZATION)).differences

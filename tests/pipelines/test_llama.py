"""LlamaIndex's own tools work on the knowledge base unchanged, and its parts go into it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine import CondensePlusContextChatEngine
from llama_index.core.evaluation import RetrieverEvaluator, SemanticSimilarityEvaluator
from llama_index.core.indices.query.query_transform.base import IdentityQueryTransform
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from pipelines.fusion import ReciprocalRankFusion
from pipelines.knowledge import KnowledgeBase
from pipelines.llama import LlamaEmbedding
from pipelines.types import Scope
from tests.pipelines.conftest import WordHashing, document

HERONS = [
    document("1", "The blue heron nests by the river. It lays four eggs in April."),
    document("2", "The red kite circles over the fields. It lays three eggs in May."),
    document("3", "River levels rose in spring after the snow melted."),
]


@pytest.fixture
async def filled(knowledge: KnowledgeBase, scope: Scope) -> KnowledgeBase:
    await knowledge.put_many(HERONS, scope)
    return knowledge


Open = Callable[..., Any]


@pytest.fixture
async def open_with(tmp_path: Path, embedding: WordHashing, scope: Scope) -> AsyncIterator[Open]:
    """Opens a filled knowledge base with other parts."""
    opened: list[KnowledgeBase] = []

    async def open_(**parts: Any) -> KnowledgeBase:
        knowledge = await KnowledgeBase.open(tmp_path, embedding=embedding, **parts)
        opened.append(knowledge)
        await knowledge.put_many(HERONS, scope)
        return knowledge

    yield open_
    for knowledge in opened:
        await knowledge.close()


class TestRetriever:
    async def test_it_is_a_llama_index_retriever(self, filled: KnowledgeBase, scope: Scope) -> None:
        """Nodes carry verbatim text, offsets, source and score, best first."""
        retriever = filled.as_retriever(scope, limit=2)
        assert isinstance(retriever, BaseRetriever)
        nodes = await retriever.aretrieve("blue heron")
        assert nodes[0].node.metadata["external_id"] == "1"
        assert nodes[0].score == max(node.score or 0 for node in nodes)
        assert len(nodes) == 2

    async def test_the_lexical_half_alone(self, filled: KnowledgeBase, scope: Scope) -> None:
        """BM25 as a retriever: only what shares a word, with BM25's scores."""
        nodes = await filled.as_lexical_retriever(scope).aretrieve("kite")
        assert [node.node.metadata["external_id"] for node in nodes] == ["2"]

    async def test_the_retriever_evaluator_judges_it(self, filled: KnowledgeBase, scope: Scope) -> None:
        """LlamaIndex's hit rate and reciprocal rank come out as they should."""
        retriever = filled.as_retriever(scope)
        [gold, *_] = await retriever.aretrieve("red kite")
        evaluator = RetrieverEvaluator.from_metric_names(["hit_rate", "mrr"], retriever=retriever)
        result = await evaluator.aevaluate("red kite", expected_ids=[gold.node.node_id])
        assert result.metric_vals_dict == {"hit_rate": 1.0, "mrr": 1.0}

    async def test_synchronous_calls_from_another_thread(self, filled: KnowledgeBase, scope: Scope) -> None:
        """LlamaIndex code that knows only `retrieve` and `query` runs in a thread; inside the loop it is told so."""
        nodes = await asyncio.to_thread(filled.as_retriever(scope).retrieve, "blue heron")
        assert nodes[0].node.metadata["external_id"] == "1"
        with pytest.raises(RuntimeError, match="aretrieve"):
            filled.as_retriever(scope).retrieve("blue heron")


class TestQueryEngine:
    async def test_it_answers_with_sources_and_confidence(self, filled: KnowledgeBase, scope: Scope) -> None:
        """Response text has its markers, source nodes are the cited passages, metadata tells how sure."""
        response = await filled.as_query_engine(scope).aquery("When does the blue heron lay eggs?")
        assert "[1]" in str(response)
        assert "April" in str(response)
        assert response.source_nodes
        assert 0 < response.metadata["confidence"] <= 1

    async def test_a_source_says_which_document_it_is_of(self, filled: KnowledgeBase, scope: Scope) -> None:
        """By both ids, which neither a prompt nor an embedding is shown."""
        response = await filled.as_query_engine(scope).aquery("When does the blue heron lay eggs?")
        [source, *_] = [source.node for source in response.source_nodes]
        there = (await filled.list(scope, external_id="1")).documents[0]
        assert (source.metadata["external_id"], source.metadata["document_id"]) == ("1", str(there.id))
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            assert source.get_metadata_str(mode) == "title: Page 1\nsource: wiki"

    async def test_streamed_it_says_the_same(self, filled: KnowledgeBase, scope: Scope) -> None:
        """The pieces joined are the unstreamed answer."""
        question = "When does the blue heron lay eggs?"
        whole = await filled.as_query_engine(scope).aquery(question)
        streamed = await filled.as_query_engine(scope, streaming=True).aquery(question)
        pieces = [piece async for piece in streamed.response_gen]
        assert "".join(pieces) == str(whole)
        assert streamed.metadata == whole.metadata

    async def test_an_evaluator_takes_its_responses(
        self, filled: KnowledgeBase, scope: Scope, embedding: WordHashing
    ) -> None:
        """LlamaIndex's semantic similarity evaluator runs on a response."""
        response = await filled.as_query_engine(scope).aquery("When does the blue heron lay eggs?")
        evaluator = SemanticSimilarityEvaluator(embed_model=LlamaEmbedding(embedding), similarity_threshold=0.2)
        result = await evaluator.aevaluate_response(response=response, reference="It lays four eggs in April.")
        assert result.passing

    async def test_other_engines_wrap_it(self, filled: KnowledgeBase, scope: Scope) -> None:
        """A chat engine and LlamaIndex's own query engine run over the retriever, a transform over the engine."""
        llm = MockLLM()
        retriever = filled.as_retriever(scope)
        chat = CondensePlusContextChatEngine.from_defaults(
            retriever, llm=llm, memory=ChatMemoryBuffer.from_defaults(llm=llm)
        )
        assert (await chat.achat("blue heron")).source_nodes
        assert (await RetrieverQueryEngine.from_args(retriever, llm=llm).aquery("blue heron")).source_nodes
        transformed = TransformQueryEngine(filled.as_query_engine(scope), query_transform=IdentityQueryTransform())
        assert str(await transformed.aquery("When does the blue heron lay eggs?"))


class OnlyKites(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return [node for node in nodes if "kite" in node.node.get_content()]


class TestParts:
    async def test_postprocessors_have_the_last_word(self, open_with: Open, scope: Scope) -> None:
        """What one takes out is neither found nor cited."""
        knowledge = await open_with(postprocessors=[OnlyKites(), SimilarityPostprocessor(similarity_cutoff=0.0)])
        result = await knowledge.search("heron or kite", scope)
        assert [hit.external_id for hit in result.hits] == ["2"]

    @pytest.mark.parametrize(
        "splitter",
        [SentenceSplitter(chunk_size=64, chunk_overlap=8), TokenTextSplitter(chunk_size=64, chunk_overlap=4)],
    )
    async def test_llama_index_splitters_do(self, open_with: Open, scope: Scope, splitter: Any) -> None:
        """Their passages become slices with true offsets, also where the text repeats itself."""
        knowledge = await open_with(splitter=splitter)
        text = "The same sentence again. " * 60 + "One heron differs."
        put = await knowledge.put(document("long", text), scope)
        hits = (await knowledge.retrieve("same sentence heron", scope)).hits
        own = sorted((h.passage.start, h.passage.end) for h in hits if h.document_id == put.document.id)
        assert len(own) > 2
        assert len(set(own)) == len(own)
        assert all(text[h.passage.start : h.passage.end] == h.passage.text for h in hits if h.external_id == "long")

    async def test_reciprocal_rank_fusion_is_the_other_choice(self, open_with: Open, scope: Scope) -> None:
        """Passed as `fusion`; anything that is called like it will do."""
        knowledge = await open_with(fusion=ReciprocalRankFusion())
        assert (await knowledge.search("blue heron", scope)).hits[0].external_id == "1"

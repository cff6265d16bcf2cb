"""Three passages found in this order, and the question that found them."""

import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle

from pipelines.nodes import to_node
from tests.pipelines.answering.retrievals import hit

TEXTS = ("Herons nest in April.", "Kites nest in March.", "Swifts nest in May.")


@pytest.fixture
def nodes() -> list[NodeWithScore]:
    return [to_node(hit(text, at, score=1 - at / 10)) for at, text in enumerate(TEXTS)]


@pytest.fixture
def question() -> QueryBundle:
    return QueryBundle("When do swifts nest?")

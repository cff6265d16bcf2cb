from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import MetadataMode, NodeRelationship, TextNode

from pipelines.text.context import context_of
from pipelines.text.counting import WordCounter
from pipelines.text.passages import SPECIAL_TOKENS, Span, split
from pipelines.text.splitter import PassageSplitter
from tests.pipelines.text.conftest import SEVEN, WINDOW

Counter = Callable[[str], int]

MILLION = 1_000_000
SENTENCE = "The courier delivered the parcels on Monday morning, and nobody had signed for them. "
MARKUP = ["# One", "## Two", "### Three", "=====", "---", "```", "~~~~", "- item", "1. item", "| a | b |", "|---|---|"]
TEXTS = [
    "",
    "Ann: hello there.",
    "a line:",
    "\u200b",
    "word " * 90,
    "文字" * 300,
    "x" * 500,
    "👩‍👩‍👧" * 9,
    "e\u0301" * 50,
]
MARKDOWN = st.lists(st.sampled_from(MARKUP + TEXTS), max_size=25).map("\n".join)


@pytest.fixture(scope="module")
def words(count_tokens: Counter) -> WordCounter:
    return WordCounter(count_tokens)


@pytest.fixture(scope="module")
def splitter(count_tokens: Counter) -> PassageSplitter:
    return PassageSplitter(count_tokens)


def nodes_of(splitter: PassageSplitter, text: str, title: str = "") -> list[TextNode]:
    return [node for node in splitter([Document(text=text, metadata={"title": title})]) if isinstance(node, TextNode)]


def texts(splitter: PassageSplitter, text: str) -> list[str]:
    return [text[span.start : span.end] for span in splitter.split(text)]


# --- what holds for every text


@settings(max_examples=200, deadline=None)
@given(
    text=MARKDOWN | st.text(max_size=300),
    title=st.text(max_size=40),
    target=st.integers(10, 200),
    overlap=st.integers(0, 2),
)
def test_every_text(words: WordCounter, text: str, title: str, target: int, overlap: int) -> None:
    """Every character that is not white space is in a passage, passages are trimmed, in order and never blank."""
    spans = split(text, title=title, count_tokens=words, window=WINDOW, target_tokens=target, overlap=overlap)
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert all(at in covered for at, character in enumerate(text) if not character.isspace())
    assert all((piece := text[span.start : span.end]) and piece == piece.strip() for span in spans)
    assert spans == sorted(spans, key=lambda span: (span.start, span.end))


@settings(max_examples=150, deadline=None)
@given(text=MARKDOWN | st.text(max_size=600), title=st.text(max_size=300), window=st.integers(32, 256))
def test_the_window(count_tokens: Counter, text: str, title: str, window: int) -> None:
    """What is embedded of a passage, context and special tokens included, is never longer than the model's window."""
    splitter = PassageSplitter(count_tokens, window=window)
    for node in nodes_of(splitter, text, title):
        embedded = node.get_content(metadata_mode=MetadataMode.EMBED)
        assert count_tokens(embedded) + SPECIAL_TOKENS <= window


@settings(max_examples=100, deadline=None)
@given(text=MARKDOWN)
def test_nodes_are_slices(splitter: PassageSplitter, text: str) -> None:
    """A node's text is the slice of the document that its offsets say."""
    for node in nodes_of(splitter, text):
        assert node.text == text[node.start_char_idx : node.end_char_idx]


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\u3000 \u2028"])
def test_no_passage_of_nothing(splitter: PassageSplitter, text: str) -> None:
    """A text of white space has no passage."""
    assert splitter.split(text) == []


@pytest.mark.parametrize("text", ["a", ".", "#", "# ", "```", "|", "\u200b", "\u0301", "# Heading", "---"])
def test_a_passage_of_anything_else(splitter: PassageSplitter, text: str) -> None:
    """A text with any other character has a passage."""
    assert len(splitter.split(text)) == 1


# --- sizes


@pytest.mark.parametrize("language", SEVEN)
def test_sizes_in_seven_languages(words: WordCounter, language: str) -> None:
    """A long text becomes passages of whole sentences near the target size."""
    text = (SEVEN[language] + " ") * 60
    spans = split(text, count_tokens=words, window=WINDOW, target_tokens=100)
    sizes = [words(text[span.start : span.end]) for span in spans]
    assert all(70 <= size <= 140 for size in sizes)
    assert all(text[span.end - 1] in ".!?。！" for span in spans)


def test_no_small_rest(words: WordCounter) -> None:
    """What is left over is shared out among the passages instead of making a small last one."""
    text = SENTENCE * 13
    spans = split(text, count_tokens=words, window=WINDOW, target_tokens=100)
    sizes = [words(text[span.start : span.end]) for span in spans]
    assert max(sizes) - min(sizes) <= 2 * words(SENTENCE)


def test_overlap(words: WordCounter) -> None:
    """With an overlap of one, a passage begins with the last sentence of the one before."""
    text = SENTENCE * 20
    spans = split(text, count_tokens=words, window=WINDOW, target_tokens=100, overlap=1)
    assert all(before.end - after.start == len(SENTENCE) - 1 for before, after in pairwise(spans))


def test_a_small_window(words: WordCounter) -> None:
    """A target over what the window leaves is brought down to it."""
    text = SENTENCE * 5
    spans = split(text, title="Parcels", count_tokens=words, window=32, target_tokens=200)
    assert all(words(text[span.start : span.end]) <= 30 - words("Parcels") for span in spans)


def test_long_sentences_are_cut_between_words(words: WordCounter) -> None:
    """A sentence over the limit is cut at white space, in pieces of about the target size."""
    text = "word " * 1000
    pieces = [text[span.start : span.end] for span in split(text, count_tokens=words, window=WINDOW, target_tokens=100)]
    assert " ".join(pieces) == text.strip()
    assert all(50 <= len(piece.split()) <= 150 for piece in pieces)


@pytest.mark.parametrize("cluster", ["e\u0301\u0323", "👩‍👩‍👧", "👍🏽", "🇩🇪", "각", "\ud83d\ude00"])
def test_characters_stay_whole(cluster: str) -> None:
    """A cut is never within what a reader sees as one character."""
    text = cluster * 3000
    spans = split(text, count_tokens=len, window=WINDOW, target_tokens=100)
    assert len(spans) > 10
    assert all((span.end - span.start) % len(cluster) == 0 for span in spans)


# --- Markdown

GUIDE = f"""Before any heading. {SENTENCE * 6}

# Setup

{SENTENCE * 8}

## Network

{SENTENCE * 8}

Cables
------

{SENTENCE * 8}

# Use

{SENTENCE * 8}
"""


def test_headings(splitter: PassageSplitter) -> None:
    """A passage knows the headings that all of it stands under, of both kinds."""
    headings = [span.headings for span in splitter.split(GUIDE)]
    assert list(dict.fromkeys(headings)) == [(), ("Setup",), ("Setup", "Network"), ("Setup", "Cables"), ("Use",)]


def test_sections_begin_passages(splitter: PassageSplitter) -> None:
    """Sections of a passage's size begin a passage with their heading."""
    found = texts(splitter, GUIDE)
    assert all(
        any(text.startswith(heading) for text in found) for heading in ("# Setup", "## Network", "Cables\n---", "# Use")
    )


def test_headings_stay_with_their_text(splitter: PassageSplitter) -> None:
    """No passage ends with a heading."""
    assert not any(text.splitlines()[-1].startswith(("#", "---")) for text in texts(splitter, GUIDE))


def test_small_sections_share_a_passage(splitter: PassageSplitter) -> None:
    """Sections of a line are put together, under the headings that they have in common."""
    text = "# Offices\n\n" + "\n\n".join(f"## Office {number}\n\nOpens at {number}." for number in range(1, 6))
    assert [span.headings for span in splitter.split(text)] == [("Offices",)]


@pytest.mark.parametrize(
    "block",
    [
        "\n".join(f"| row {n} | value {n} |" for n in range(12)),
        "```python\n" + "value = 1\n" * 20 + "```",
        "~~~\na\n\n# no heading\n~~~",
    ],
    ids=["table", "code", "tildes"],
)
def test_blocks_that_fit_stay_whole(splitter: PassageSplitter, block: str) -> None:
    """A table or fenced code that fits a passage is never cut."""
    text = f"{SENTENCE * 5}\n\n{block}\n\n{SENTENCE * 5}"
    assert any(block in passage for passage in texts(splitter, text))


def test_long_blocks_are_cut_between_lines(splitter: PassageSplitter) -> None:
    """A table over the limit is cut between rows."""
    rows = [f"| row number {number} | some value of {number} |" for number in range(200)]
    lines = [line for passage in texts(splitter, "\n".join(rows)) for line in passage.splitlines()]
    assert lines == rows


def test_code_has_no_headings(splitter: PassageSplitter) -> None:
    """What looks like a heading in fenced code is none."""
    assert splitter.split("```\n# comment\n```\n\nText.") == [Span(0, 24)]


def test_what_is_no_heading(splitter: PassageSplitter) -> None:
    """Rules, front matter and hash tags are no headings."""
    text = f"---\ntitle: x\n---\n\n#tag\n\n{SENTENCE}\n\n---\n\n{SENTENCE}"
    assert {span.headings for span in splitter.split(text)} == {()}


# --- context


def test_context(words: WordCounter) -> None:
    """Title and headings are joined; a heading that repeats the title is not repeated."""
    assert context_of("User Guide", ("User guide", "Setup"), words, WINDOW) == "User Guide › Setup"
    assert context_of("", (), words, WINDOW) == ""
    assert context_of(" A \n title ", (), words, WINDOW) == "A title"


def test_long_contexts_are_cut(words: WordCounter) -> None:
    """A context takes a fifth of the window at most: outer headings go first, then the ends of what is left."""
    assert context_of("Title", ("outer " * 50, "inner"), words, WINDOW) == "Title › inner"
    both = context_of("title " * 60, ("heading " * 60,), words, WINDOW)
    assert both.startswith("title title")
    assert both.endswith("heading heading")
    assert words(both) <= WINDOW // 5
    assert words(context_of("標題" * 200, (), words, WINDOW)) <= WINDOW // 5


def test_only_the_context_is_embedded(splitter: PassageSplitter) -> None:
    """What is embedded is the context, a new line and the text, with none of the document's other metadata."""
    document = Document(text="## Hours\n\nWe open at {nine}.", metadata={"title": "Shop", "author": "Ann", "secret": 5})
    [node] = splitter([document])
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == "Shop › Hours\n## Hours\n\nWe open at {nine}."
    assert node.metadata == {"title": "Shop", "author": "Ann", "secret": 5, "context": "Shop › Hours"}
    assert node.get_content(metadata_mode=MetadataMode.NONE) == document.text


def test_without_context(splitter: PassageSplitter) -> None:
    """Without title and headings the text is embedded as it is."""
    [node] = splitter([Document(text="Only text.")])
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == "Only text."


# --- LlamaIndex


def test_in_a_pipeline(count_tokens: Counter) -> None:
    """The splitter is a LlamaIndex transformation; nodes know their document and, if asked, their neighbours."""
    splitter = PassageSplitter(count_tokens, include_prev_next_rel=True)
    document = Document(text=SENTENCE * 30, id_="d")
    nodes = IngestionPipeline(transformations=[splitter], disable_cache=True).run(documents=[document])
    assert {node.ref_doc_id for node in nodes} == {"d"}
    assert nodes[0].relationships[NodeRelationship.NEXT].node_id == nodes[1].node_id  # type: ignore[union-attr]
    assert nodes[1].relationships[NodeRelationship.PREVIOUS].node_id == nodes[0].node_id  # type: ignore[union-attr]
    assert splitter.class_name() == "PassageSplitter"


def test_settings_are_kept(count_tokens: Counter) -> None:
    """The settings are in its dictionary, the tokenizer is not."""
    settings = PassageSplitter(count_tokens, target_tokens=77, overlap=1).to_dict()
    assert (settings["target_tokens"], settings["overlap"], settings["window"]) == (77, 1, WINDOW)


# --- hostile texts


@pytest.mark.parametrize(
    "unit",
    [".", "a", "word ", "x\n", "# a\n", "#", "```\n", "|\n", "|", "a\n===\n", "文字", "\u0301", "\u200b", "> ", "- "],
)
def test_hostile_texts(unit: str) -> None:
    """A million characters without any sense are split within the test's time, into passages of bounded length."""
    counter = WordCounter(lambda piece: -(-len(piece) // 4))
    spans = split(unit * (MILLION // len(unit)), count_tokens=counter, window=WINDOW, target_tokens=128)
    assert spans
    assert all(span.end - span.start <= 8 * WINDOW for span in spans)

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.sentences import sentences
from tests.pipelines.text.conftest import SEVEN

MILLION = 1_000_000


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@settings(deadline=None)
@given(
    st.text(alphabet=st.sampled_from("aB .!?…。！\n\t#-|:\"')1\u0301\u3000文é"), max_size=200) | st.text(max_size=100)
)
def test_nothing_but_white_space_is_left_out(text: str) -> None:
    """Sentences are trimmed, in order, apart from each other, and hold every character that is not white space."""
    spans = sentences(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(parts(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("language", SEVEN)
def test_seven_languages(language: str) -> None:
    """Two sentences are two in each of the seven languages."""
    assert len(parts(SEVEN[language])) == 2


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met J. R. Ewing, e.g. at Fig. 3 and in No. 5 on Jan. 12.",
        "Version v2.3.1 costs 3.50 or 1.000,50 at example.com.",
        "Am 3. Oktober war es z. B. so, vgl. Abb. 2.",
        "Die 2. Auflage kam bzw. ging.",
        "M. Dupont est venu, cf. p. 12.",
        "El Sr. Pérez vive en la pág. 5.",
        'He said "Stop!" and left.',
        "It went on … and on.",
        "The U.S. Army came.",
        "etc. and so on.",
        "(See above.) and more.",
    ],
)
def test_full_stops_that_end_nothing(sentence: str) -> None:
    """Abbreviations, initials, ordinals, decimals, versions and quotes do not end a sentence."""
    assert parts(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ended at 5 p.m. The rest left.", ["It ended at 5 p.m.", "The rest left."]),
        ("It is vitamin C. It helps.", ["It is vitamin C.", "It helps."]),
        ("in 2020. a tax was due.", ["in 2020.", "a tax was due."]),
        ("i am here. ok? fine.", ["i am here.", "ok?", "fine."]),
        ('"Yes." (Really?) No.', ['"Yes."', "(Really?)", "No."]),
        ("It rained.[1][2] Then not.", ["It rained.[1][2]", "Then not."]),
        ("**Bold.** Plain.", ["**Bold.**", "Plain."]),
        ("「はい。」と言った。", ["「はい。」", "と言った。"]),
        ("真的吗?是的!好。", ["真的吗?", "是的!", "好。"]),
        ("ما هذا؟ كتاب.", ["ما هذا؟", "كتاب."]),
        ("यह किताब है। वह घर है।", ["यह किताब है।", "वह घर है।"]),
    ],
)
def test_ends(text: str, expected: list[str]) -> None:
    """Sentences end at stops of any script, with the quotes and brackets that close there."""
    assert parts(text) == expected


def test_lines_that_are_blocks() -> None:
    """Headings, list items, table rows, speakers and paragraphs are sentences without a full stop."""
    lines = [
        "# Title",
        "A heading",
        "1. First item",
        "2. Second item",
        "- third",
        "| a | b |",
        "|---|---|",
        "Ann: hi",
        "ok",
    ]
    assert parts("\n".join(lines)) == lines
    assert parts("one paragraph\n\nand another") == ["one paragraph", "and another"]


def test_wrapped_lines() -> None:
    """A sentence goes on over lines that were only wrapped, also where the next begins with a capital."""
    text = (
        "This paragraph of a plain text mail was wrapped by the program that sent it to\n"
        "everybody at the office, and the name in the next line is the one of our dear\n"
        "Henrietta. She wrote it."
    )
    assert len(parts(text)) == 2


@pytest.mark.parametrize(
    "unit", [".", "a", ". ", "x\n", '."', " ", "\n", "。", "[1]", "A: ", "#", "1. ", "word ", "w " * 40 + "\n", "a. b"]
)
def test_hostile_texts(unit: str) -> None:
    """A million characters without any sense still come back whole, within the test's time."""
    text = unit * (MILLION // len(unit))
    kept = sum(end - start - text.count("\n", start, end) for start, end in sentences(text))
    assert kept >= len(text) - sum(map(text.count, " \n"))

"""Sentences and markers found in a text that is still being written."""

import pytest

from pipelines.answering.markers import Statement, StatementStream


def statements(*pieces: str, cut_off: bool = False) -> list[tuple[str, tuple[int, ...]]]:
    stream = StatementStream()
    made: list[Statement] = [one for piece in pieces for one in stream.feed(piece)]
    made += stream.close(cut_off=cut_off)
    return [(one.text, one.numbers) for one in made]


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ("It is so [1].", (1,)),
        ("It is so. [1]", (1,)),
        ("It is so.[1]", (1,)),
        ("It is so [1, 2].", (1, 2)),
        ("It is so [1][2].", (1, 2)),
        ("It is so [2] [1] [2].", (2, 1)),
        ("It is so【3】.", (3,)),
        ("It is so [Passage 4].", (4,)),
        ("It is so.", ()),
    ],
)
def test_markers_in_every_form(written: str, numbers: tuple[int, ...]) -> None:
    """They are read and taken out, whatever stands between them and the sentence."""
    assert statements(written) == [("It is so.", numbers)]


def test_a_marker_belongs_to_the_sentence_before_it() -> None:
    """Also where the next sentence follows at once."""
    assert statements("It is so. [1] It is not.[2] Who knows?") == [
        ("It is so.", (1,)),
        ("It is not.", (2,)),
        ("Who knows?", ()),
    ]


def test_scripts_without_spaces() -> None:
    """A full stop of theirs ends a sentence, and the marker behind it still belongs to it."""
    assert statements("鹭在河边筑巢。[1]它产四枚蛋。[2]") == [("鹭在河边筑巢。", (1,)), ("它产四枚蛋。", (2,))]


def test_a_sentence_comes_as_soon_as_the_next_has_begun() -> None:
    """Not before: a marker may still follow."""
    stream = StatementStream()
    assert list(stream.feed("It is so. ")) == []
    assert list(stream.feed("[")) == []
    assert list(stream.feed("1] ")) == []
    assert list(stream.feed("And")) == [Statement("It is so.", (1,))]


def test_any_chunking_gives_the_same() -> None:
    """Cut at every place."""
    text = "It is so [1]. It costs 3.50 euros e.g. in Lyon. [2, 3] - A point [4]\n- Another【5】\n"
    whole = statements(text)
    assert all(statements(text[:at], text[at:]) == whole for at in range(len(text)))
    assert statements(*text) == whole


def test_lists_lose_their_signs() -> None:
    """A number or a dash alone is no sentence."""
    assert statements("1. First thing [1]\n2. Second thing [2]\n")[0][1] == (1,)
    assert statements("- \n---\n") == []


def test_an_unfinished_sentence_counts_unless_the_model_was_cut_off() -> None:
    """Models forget full stops; a model without room does not mean what it has not said."""
    assert statements("It is so [1]. EUR 145") == [("It is so.", (1,)), ("EUR 145", ())]
    assert statements("It is so [1]. EUR 145", cut_off=True) == [("It is so.", (1,))]
    assert statements("It is so [1].", cut_off=True) == [("It is so.", (1,))]

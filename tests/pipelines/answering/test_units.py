"""What of a passage may be quoted, and how it looks in an answer."""

import pytest

from pipelines.answering.excerpt import excerpt
from pipelines.answering.tidy import tidy
from pipelines.answering.units import count_words, units

TABLE = "## Hotels\n\n| City | Ceiling |\n|---|---|\n| Lyon | EUR 145 |\n| Nagoya | JPY 19,500 |\n"


def texts(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text)]


def test_headings_are_not_quoted_but_known() -> None:
    """They stand above what follows."""
    unit = units("## Booking\n\nBook in the portal.")[0]
    assert (texts("## Booking\n\nBook in the portal."), "Booking" in unit.above) == (["Book in the portal."], True)


def test_a_table_row_is_one_unit_under_its_head_row() -> None:
    """Rules between rows are none."""
    assert texts(TABLE)[1:] == ["| Lyon | EUR 145 |", "| Nagoya | JPY 19,500 |"]
    assert "Ceiling" in units(TABLE)[1].above


def test_a_question_of_a_list_of_questions_stands_above_its_answer() -> None:
    """It is no answer itself, however many of the asked words it has."""
    text = "**How quickly does somebody come?**\n\nWithin three working days."
    assert texts(text) == ["Within three working days."]
    assert "quickly" in units(text)[0].above


def test_a_short_labelled_line_stays_together() -> None:
    """So that it is known who said it; a long one is quoted in parts."""
    assert texts("Alice: I am here. Come down.\nBob: Yes. Wait.") == ["Alice: I am here. Come down.", "Bob: Yes. Wait."]
    assert len(texts("Alice: " + "I am here and wait for you. " * 10)) > 1


def test_a_list_stays_with_the_line_that_leads_in() -> None:
    """As far as it is short."""
    assert texts("To reset it:\n- Open the lid.\n- Press the bell.") == [
        "To reset it:\n- Open the lid.\n- Press the bell."
    ]


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("- **Period:** 36 months", "Period: 36 months"),
        ("| Lyon | EUR 145 |", "Lyon | EUR 145"),
        ("See [the page](https://x.example/a_(b)) now", "See the page now"),
        ("Run `make env` first", "Run make env first"),
        ("Two\n  lines", "Two lines"),
        ("As shown [3], [4, 5] and 【6】.", "As shown, and."),
        ("Nested [[1]2] ones", "Nested ones"),
        ("Split [\n7\n] ones", "Split ones"),
        ("Bold [**8**] ones", "Bold ones"),
    ],
)
def test_an_answer_shows_no_markup_and_no_bracketed_numbers(document: str, answer: str) -> None:
    """The citation keeps both."""
    assert tidy(document) == answer


def test_a_long_sentence_is_cut_between_clauses() -> None:
    """Where the asked words are; what is left out is shown."""
    text = "The plant, open since 1998, makes cabinets; the heron, which nests by the river in April, lays four eggs."
    assert excerpt(text, "Who nests by the river?", 10) == "… the heron, which nests by the river in April, …"
    assert excerpt(text, "", 50) == text


def test_a_text_without_any_boundary_is_cut_all_the_same() -> None:
    """By words, or by characters where there are no words."""
    assert count_words(excerpt("word " * 100, "", 20)) <= 21
    assert 20 <= len(excerpt("鹭" * 300, "", 20)) <= 44

"""Passages taken apart beforehand read like passages taken apart when they are found."""

from dataclasses import replace
from hashlib import blake2b

import orjson
import pytest

from pipelines.answering.pieces import RECIPE, pack, pieces, take_apart, unpack
from pipelines.types import Passage
from tests.pipelines.answering.retrievals import hit

TEXTS = {
    "en": "## Leave\n\nParental leave is 26 weeks. It may be split; see KB-1234.\n\n"
    "| City | Ceiling |\n|---|---|\n| Lyon | 145 |",
    "de": "Anna: Die Kündigungsfrist beträgt z. B. vier Wochen. Sie beginnt am 1. Mai.",
    "ja": "育児休業は26週間です。分割して取得できます。",
}
MADE = "01581b00d484019e"


def passage(language: str) -> Passage:
    return replace(hit(TEXTS[language]).passage, language=language)


@pytest.mark.parametrize("language", TEXTS)
def test_packed_pieces_are_those_of_the_text(language: str) -> None:
    """Packing loses nothing."""
    apart = take_apart(TEXTS[language], language)
    assert unpack(pack(apart)) == apart
    fresh = passage(language)
    assert pieces(replace(fresh, pieces=pack(apart))) == pieces(fresh)


def test_what_another_recipe_has_packed_is_made_anew() -> None:
    """So a change of the code needs no indexing anew."""
    fresh = passage("en")
    assert pieces(replace(fresh, pieces=orjson.dumps([RECIPE - 1, [[0, 3, "old", "", ""]]]))) == pieces(fresh)


def test_a_recipe_stands_for_what_it_makes() -> None:
    """Whoever changes what is made of a text has to raise RECIPE, and then MADE."""
    made = b"".join(pack(take_apart(text, language)) for language, text in TEXTS.items())
    assert blake2b(made, digest_size=8).hexdigest() == MADE

import pytest

from pipelines.text.languages import detect_language, likely_languages
from tests.pipelines.text.conftest import SEVEN


@pytest.mark.parametrize("language", SEVEN)
def test_seven_languages(language: str) -> None:
    """Two sentences are enough to tell the language."""
    assert detect_language(SEVEN[language]) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("이 문서는 휴가 규정을 설명합니다", "ko"),
        ("Этот документ описывает правила отпуска", "ru"),
        ("Цей документ описує правила відпустки та лікарняних", "uk"),
        ("מסמך זה מתאר את כללי החופשה", "he"),
        ("เอกสารนี้อธิบายกฎการลา", "th"),
        ("यह दस्तावेज़ छुट्टी के नियम बताता है", "hi"),
        ("Αυτό το έγγραφο περιγράφει τους κανόνες", "el"),
        ("このマニュアルはWindowsとmacOSのAPIについて説明します", "ja"),
        ("Questo documento descrive le regole delle ferie aziendali", "it"),
        ("Ten dokument opisuje zasady urlopu wypoczynkowego", "pl"),
    ],
)
def test_other_languages(text: str, language: str) -> None:
    """A script of one language tells it by itself, the words tell among the others."""
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "   ", "12345 ---", "KB-1234", "Urlaub", "\ud83d"])
def test_too_short(text: str) -> None:
    """What has too few letters to tell is taken for English."""
    assert detect_language(text) == "en"


def test_quotations_of_another_script() -> None:
    """An English text that quotes some Chinese is English."""
    assert detect_language("The Chinese word for knowledge base is 知识库, and it is written like this.") == "en"


def test_only_the_beginning_counts() -> None:
    """The language is the one of the beginning, however long the text is."""
    assert detect_language(SEVEN["de"] * 30 + SEVEN["en"] * 1000) == "de"


def test_likely_languages() -> None:
    """A clear question has one language of those offered, an unclear one may have several; unknown codes are ignored."""
    assert likely_languages("Wie viele Urlaubstage habe ich?", ["en", "de", "fr", "xx"]) == ["de"]
    assert set(likely_languages("vacation", ["en", "fr"])) == {"en", "fr"}
    assert likely_languages("vacation", ["xx"]) == []
